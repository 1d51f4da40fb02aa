import type { ServiceOutcome } from './service-outcome.js';
import { type SimulationRequest, simulateService } from './simulate-service.js';

/** Simulates services, here or on other threads; outcomes come in the order of the requests and do not depend on where. */
export type SimulateServices = (requests: readonly SimulationRequest[]) => Promise<readonly ServiceOutcome[]>;

/** Simulates one service after the other on this thread. */
export const simulateHere: SimulateServices = async (requests) => requests.map(simulateService);
