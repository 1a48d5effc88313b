/** Rules on where Katib finds the objective, as its webhook has them, and on what its collectors pass over without a word. */
import { METRIC_NAME, type KatibCollectorSpec, type KatibSearch } from './spec';
import { ViolationCollector, type Violation } from '../violations';
import { problemOfGoExpression } from '../text/expressions';

const PATH = 'katib.metrics';

const MAX_PORT = 65_535;

/** Checks metrics and their collector. */
export function validateKatibCollector({ tuning: { objective }, settings }: KatibSearch): Violation[] {
  const violations = new ViolationCollector();
  const { collector, additionalMetrics = [] } = settings;
  const named = [{ path: 'spec.autoTuning.objective', name: objective },
    ...additionalMetrics.map((name, index) => ({ path: `katib.additionalMetrics[${index}]`, name }))];
  named.forEach(({ path, name }, index) => {
    if (readsText(collector) && collector.formats === undefined && !METRIC_NAME.test(name)) {
      violations.add(path, name, 'cannot be parsed from text: metric names have letters, digits, \'_\', \'.\', \'/\', \'|\' and \'-\'. Rename it, or give formats.');
    } else if (name.includes(';')) {
      violations.add(path, name, 'contains \';\', which Katib\'s collector uses to separate names. Rename it.');
    }
    if (named.findIndex((other) => other.name === name) < index) {
      violations.add(path, name, 'is collected already. Remove it.');
    }
  });
  validatePlace(collector, violations);
  validateFormats(collector, violations);
  return violations.violations;
}

/** Whether lines of text are looked through for names and values. */
export function readsText({ kind, json }: KatibCollectorSpec): boolean {
  return kind === 'StdOut' || (kind === 'File' && json !== true);
}

function validatePlace({ kind, path, port }: KatibCollectorSpec, violations: ViolationCollector): void {
  if (path !== undefined && !path.startsWith('/')) {
    const what = kind === 'PrometheusMetric' ? 'begin with \'/\'' : 'be an absolute path in the container';
    violations.add(`${PATH}.path`, path, `must ${what}, or Katib rejects it. Put a slash in front.`);
  } else if (path === '/' && kind !== 'PrometheusMetric') {
    violations.add(`${PATH}.path`, path, 'would hide the container\'s root filesystem. Use a separate folder, such as /var/log/katib/.');
  } else if (kind === 'File' && path !== undefined && !/^\/[^/]+\/.*[^/]$/.test(path)) {
    violations.add(`${PATH}.path`, path, 'must be a file in a separate folder: the folder is mounted over. Use one such as /var/log/katib/metrics.log.');
  }
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= MAX_PORT)) {
    violations.add(`${PATH}.port`, port, `must be a whole number from 1 to ${MAX_PORT}.`);
  }
}

function validateFormats(collector: KatibCollectorSpec, violations: ViolationCollector): void {
  const { formats = [] } = collector;
  if (formats.length > 0 && !readsText(collector)) {
    violations.add(`${PATH}.formats`, formats[0], 'applies to text, and this collector reads none. Remove it.');
    return;
  }
  formats.forEach((format, index) => {
    const path = `${PATH}.formats[${index}]`;
    if (problemOfGoExpression(format) !== undefined) {
      violations.add(path, format, 'is not a regular expression. Correct it.');
    } else if (!hasTwoGroups(format)) {
      violations.add(path, format, 'needs two groups in brackets: the name of the metric, and its value.');
    }
  });
}

/** Two pairs of brackets, one behind the other. */
function hasTwoGroups(format: string): boolean {
  const firstEnd = format.indexOf(')', format.indexOf('(') + 1);
  const second = format.indexOf('(', firstEnd + 1);
  return format.includes('(') && firstEnd !== -1 && second !== -1 && format.includes(')', second + 1);
}
