#!/usr/bin/env node
import { createProcessIo } from './io.js';
import { runCli } from './program.js';

await runCli(process.argv.slice(2), createProcessIo());
