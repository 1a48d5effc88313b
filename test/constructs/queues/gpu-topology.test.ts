import { App, Chart, Testing } from 'cdk8s';
import { GpuTopology, type GpuTopologyProps } from '../../../src/constructs/queues';
import { errorsOf } from '../../support/synth-errors';

test('a topology has GKE\'s levels, or others', () => {
  const chart = Testing.chart();
  new GpuTopology(chart, 'Gke', { name: 'gke' });
  new GpuTopology(chart, 'Racks', { name: 'racks', levels: ['rack', 'kubernetes.io/hostname'] });
  expect(Testing.synth(chart)).toMatchSnapshot();
});

test.each<[GpuTopologyProps, readonly string[]]>([
  [
    { name: 't', levels: ['kubernetes.io/hostname', 'rack', 'rack'] },
    ["GpuTopology 't': levels[0]: \"kubernetes.io/hostname\": is the level of a single node", 'levels[2]: "rack": is listed twice'],
  ],
  [{ name: 't', levels: [] }, ['levels: 0: must be 1 to 16.']],
])('%j is refused', (props, problems) => {
  const app = new App();
  new GpuTopology(new Chart(app, 'chart'), 'T', props);
  expect(errorsOf(app)).toEqual(problems.map((problem) => expect.stringContaining(problem)));
});
