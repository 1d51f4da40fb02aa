/** Entry of a simulation thread: answers each task with its outcome. */
import { parentPort } from 'node:worker_threads';
import { type ScheduleRequest, simulateSchedule } from '../simulate/schedule/simulate-schedule.js';
import { type SimulationRequest, simulateService } from '../simulate/simulate-service.js';

/** What a thread is asked to do. */
export type SimulationTask =
  | { readonly kind: 'service'; readonly request: SimulationRequest }
  | { readonly kind: 'schedule'; readonly request: ScheduleRequest };

parentPort?.on('message', (task: SimulationTask) =>
  parentPort?.postMessage(task.kind === 'service' ? simulateService(task.request) : simulateSchedule(task.request)),
);
