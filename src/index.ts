/**
 * The public API: the operations of the command line as functions. Pure functions take and return values; what reads files
 * or starts a thread says so. Problems are thrown as `InlayError`; "cannot be done" is a returned value of its own kind.
 */

// On Kubernetes
export { customResourceDefinitions } from './cluster/objects/crds.js';
// Who can share a GPU
export { type ContendedResource, contendedResources } from './colocate/describe-contention.js';
export type { InterferenceModel } from './colocate/documents/interference-model.js';
export type { Job, JobsDocument } from './colocate/documents/jobs.js';
export {
  type Grouping,
  type GroupingResult,
  type GroupObjective,
  type GroupOptions,
  groupJobs,
  type JobGroup,
} from './colocate/group/group-jobs.js';
export type { GroupRisk } from './colocate/group/rate-groups.js';
export type { MeasuredGroup, MeasuredWorkload, WorkloadTask } from './colocate/measured-workload.js';
export { createPredictor, type InterferencePredictor, type MemberPrediction } from './colocate/predictor/interference-predictor.js';
export { trainInterference } from './colocate/predictor/train-interference.js';
export { type PlannedFor, type SuggestedGroup, suggestGroups } from './colocate/suggest/suggest-groups.js';
// What must be delivered
export type { Conflict } from './demand/conflict.js';
export { planId, transitionId } from './demand/documents/canonical.js';
export type { Certificate, PlanDocument, PlanGpu, PlanInstance, PlanService } from './demand/documents/plan.js';
export type { StateDocument, StateGpu, StateInstance } from './demand/documents/state.js';
export {
  type Backend,
  defaultStepDurations,
  type StepDurations,
  type TransitionBounds,
  type TransitionCounts,
  type TransitionDocument,
  type TransitionStep,
} from './demand/documents/transition.js';
export type { WorkloadDocument } from './demand/documents/workload.js';
export {
  type ExplainedRow,
  type ExplainedSize,
  explainService,
  type RowVerdict,
  type ServiceExplanation,
} from './demand/explain-service.js';
export { generateNight, generateWorkload, type LoadDistribution, type WorkloadRecipe } from './demand/generate-workload.js';
export type { RawPerformanceRow } from './demand/raw-performance-row.js';
export { type ResolvedWorkload, resolveWorkload } from './demand/resolve-workload.js';
export { describeTrace, type TraceShape } from './demand/traffic/describe-trace.js';
export type { Trace } from './demand/traffic/trace.js';
export type { FactorRule, LatencyRule, PercentileRule, PerformanceRow, Pool, Service, Workload } from './demand/workload.js';
// Problems
export { catalogue, type ErrorCode, InlayError, type Problem } from './errors.js';
// Files in and out
export { type ImportFormat, type ImportRequest, type ImportResult, importMeasurements } from './formats/import/import-measurements.js';
export { type ImportedRow, writeImportedRows } from './formats/import/imported-row.js';
export { type MigPartedOptions, toMigParted } from './formats/mig-parted/to-mig-parted.js';
export { toPlanCsv } from './formats/plan-csv.js';
export { readGpuModels } from './formats/read-gpu-models.js';
export { readPlan } from './formats/read-plan.js';
export { type ReadState, readState } from './formats/read-state.js';
export { readTransition } from './formats/read-transition.js';
export { type ReadOptions, type ReadWorkload, readWorkload } from './formats/read-workload.js';
export { drawLatencies } from './formats/svg/draw-latencies.js';
export { drawPlan } from './formats/svg/draw-plan.js';
export { drawTransition } from './formats/svg/draw-transition.js';
export { readTrace } from './formats/traces/read-trace.js';
export { type DocumentFormat, formatDocument, writeTextFile } from './formats/write-document.js';
// What the hardware allows
export { builtInCatalogue, extendCatalogue } from './gpu/catalogue.js';
export { findGpuModel, type GpuModelSearch } from './gpu/find-gpu-model.js';
export { findProfile, type ProfileSearch } from './gpu/find-profile.js';
export type {
  Certainty,
  Fact,
  GpuCatalogue,
  GpuModel,
  Layout,
  LayoutRules,
  MediaEngines,
  MigProfile,
  PlacedProfile,
  ProfileVariant,
} from './gpu/gpu-model.js';
export { enumerateLayouts, type LayoutShape, maximalLayouts, undominatedLayouts } from './gpu/layouts.js';
export { type FewestPlacement, placeOnFewest } from './gpu/place-on-fewest.js';
export { checkLayout, type Placement, type PlacementOptions, placeOnGpu } from './gpu/placement.js';
export type { BrokenRule, IllegalLayout } from './gpu/placement-rules.js';
// Planning
export { type PlanOptions, plan, type StrategyName, strategies } from './plan/plan.js';
export type { PlanResult } from './plan/plan-result.js';
export type { StrategyOptions } from './plan/strategies/strategy-options.js';
// Simulating
export { type CheckedPlan, type CheckOptions, planAndCheck } from './simulate/check-plan.js';
export { describeServices, type SimulationSettings } from './simulate/describe-services.js';
export { rankOutcomes, shareInTime } from './simulate/rank-outcomes.js';
export type { Estimate, MeasuredOutcome, OverloadedOutcome, ServiceOutcome, Verdict } from './simulate/service-outcome.js';
export { type RunLength, type SimulationRequest, simulateService } from './simulate/simulate-service.js';
export { type SimulateServices, simulateHere } from './simulate/simulate-services.js';
export type { Arrivals, InstanceKind, Router, SimulatedService } from './simulate/simulated-service.js';
export { createWorkerSolver, type WorkerSolver } from './solver/highs/worker-solver.js';
export type { LinearProgram, Solution, SolveOptions, Solver, SolverSession, SolveStatus, SparseVectors } from './solver/solver.js';
// From what runs to what should run
export { type DefragmentOptions, defragment } from './transition/defragment.js';
export { diffState, type GpuDiff, type PlacedPod, type PodChange, type StateDiff } from './transition/diff/diff-state.js';
export type { WantedGpu } from './transition/diff/match-gpus.js';
export type { ServiceDip } from './transition/find-dip.js';
export { planOnto } from './transition/plan-onto.js';
export { type InfeasibleTransition, type TransitionOptions, type TransitionResult, transition } from './transition/transition.js';
// Checking
export type { TransitionCheckName, TransitionReport } from './verify/transition/transition-checks.js';
export { type VerifyOptions, verifyPlan } from './verify/verify-plan.js';
export type { Check, CheckName, VerifyReport, Violation } from './verify/verify-report.js';
export { verifyTransition } from './verify/verify-transition.js';
