/** How long `inlay --help` takes from the built package: at most 0.2 s. */
import { timeBuiltCommand } from '../built-command.js';
import { median, report } from '../report.js';

const repeats = 9;
const mostMs = 200;
const times = Array.from({ length: repeats }, () => timeBuiltCommand('--help'));
const middle = median(times);
report(
  'Start-up',
  ['command', `median of ${repeats}, ms`, 'fastest, ms', 'slowest, ms'],
  [['inlay --help', Math.round(middle), Math.round(Math.min(...times)), Math.round(Math.max(...times))]],
  middle > mostMs ? [`inlay --help takes ${Math.round(middle)} ms, allowed ${mostMs}`] : [],
);
