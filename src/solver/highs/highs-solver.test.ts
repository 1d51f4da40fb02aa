import { describeSolverContract } from '../solver-contract.fixture.js';
import { createInlineSolver } from './highs-solver.js';

describeSolverContract('the inline solver', createInlineSolver);
