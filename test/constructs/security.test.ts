import { Testing } from 'cdk8s';
import { Egress, Framework, TrainingJob } from '../../src';

test('security stands in the spec as it was given', () => {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Net', {
    framework: Framework.pytorch(), image: 'image', replicas: 1,
    security: { restricted: true, runAsUser: 1000, fsGroup: 2000, networkPolicy: { fromNamespaces: ['monitoring'], egress: Egress.LIMITED, toCidrs: ['10.8.0.0/16'] } },
  });
  expect(Testing.synth(chart)[0].spec.security).toEqual({
    restricted: true, runAsUser: 1000, fsGroup: 2000, networkPolicy: { fromNamespaces: ['monitoring'], egress: 'Limited', toCidrs: ['10.8.0.0/16'] },
  });
});

test('a firewall without options is an empty one in the spec', () => {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Net', { framework: Framework.pytorch(), image: 'image', replicas: 1, security: { networkPolicy: {} } });
  expect(Testing.synth(chart)[0].spec.security).toEqual({ networkPolicy: {} });
});

test('root in a restricted job is refused at synth', () => {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Net', { framework: Framework.pytorch(), image: 'image', replicas: 1, security: { restricted: true, runAsUser: 0 } });
  expect(() => Testing.synth(chart)).toThrow(/spec\.security\.runAsUser: 0: is root/);
});
