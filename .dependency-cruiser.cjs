/**
 * The arrows between the rooms (docs/architecture.md). Tests and fixtures may import anything but the command line's
 * inside and the solver adapter are still out of bounds for product code.
 */
const notTests = ['[.](test|fixture|contract)[.]ts$'];

/** A room may import itself, the error catalogue and the rooms named. */
function room(name, ...below) {
  const allowed = [`src/${name}/`, 'src/errors[.]ts$', ...below.map((path) => `src/${path}`), 'node_modules/zod/'];
  return {
    name: `${name}-is-pure`,
    comment: `src/${name} may import only ${[name, ...below].join(', ')} and zod: no input or output, no clock, no chance.`,
    severity: 'error',
    from: { path: `^src/${name}/`, pathNot: notTests },
    to: { pathNot: allowed.map((path) => `^${path}`) },
  };
}

const demandRoom = room('demand', 'gpu/');
demandRoom.to.pathNot.push('^(node:)?crypto$');

const colocateRoom = room('colocate', 'demand/', 'gpu/', 'solver/[^/]+[.]ts$');
colocateRoom.to.pathNot.push('node_modules/ml-matrix/');

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Circles of types alone are erased by the compiler and allowed.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    room('gpu'),
    demandRoom,
    {
      name: 'only-documents-hash',
      comment: 'Hashing is allowed where documents get their ids, nowhere else in a pure room.',
      severity: 'error',
      from: { path: '^src/demand/', pathNot: ['^src/demand/documents/', ...notTests] },
      to: { path: '^(node:)?crypto$' },
    },
    room('plan', 'demand/', 'gpu/', 'solver/[^/]+[.]ts$'),
    room('simulate', 'plan/', 'demand/', 'gpu/', 'solver/[^/]+[.]ts$'),
    room('transition', 'plan/', 'demand/', 'gpu/', 'solver/[^/]+[.]ts$'),
    room('verify', 'demand/', 'gpu/'),
    colocateRoom,
    {
      name: 'formats-below-cli',
      comment: 'File formats know the pure rooms, and not who calls them.',
      severity: 'error',
      from: { path: '^src/formats/', pathNot: notTests },
      to: { path: '^src/', pathNot: ['^src/(formats|colocate|simulate|transition|plan|demand|gpu)/', '^src/(errors|version)[.]ts$'] },
    },
    {
      name: 'cluster-decides-purely',
      comment: 'Decisions, manifests and backends take values and give values: no client, no files, no threads.',
      severity: 'error',
      from: { path: '^src/cluster/(decide|backends|serve|objects)/', pathNot: notTests },
      to: {
        path: [
          '^src/cluster/(act|agent|emulate|operator)/',
          '^src/cluster/observe/follow',
          '^src/cluster/client/(?!object-types|resources)',
          '^src/formats/(?!performance-csv|mig-parted/)',
          '^(node:)?(fs|net|http|https|child_process|worker_threads|timers)(/|$)',
          'node_modules/(@kubernetes|pino|prom-client)/',
        ],
      },
    },
    {
      name: 'one-list-of-backends',
      comment: 'Decisions and manifests know the interface of backends and are handed the list of them: only backends know each other.',
      severity: 'error',
      from: { path: '^src/cluster/(decide|serve|objects|observe|state|act)/', pathNot: notTests },
      to: { path: '^src/cluster/backends/(?!backend[.]ts$)' },
    },
    {
      name: 'solver-below-plan',
      severity: 'error',
      from: { path: '^src/solver/', pathNot: notTests },
      to: { path: '^src/', pathNot: ['^src/solver/', '^src/errors[.]ts$'] },
    },
    {
      name: 'nothing-imports-cli',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'solver-is-passed-in',
      comment: 'Only the command line and the public API choose the HiGHS adapter; everyone else is handed a Solver.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/solver/highs/', '^src/cli/', '^src/index[.]ts$', ...notTests] },
      to: { path: '^src/solver/highs/' },
    },
    {
      name: 'no-tests-in-product',
      severity: 'error',
      from: { path: '^src/', pathNot: notTests },
      to: { path: notTests },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
