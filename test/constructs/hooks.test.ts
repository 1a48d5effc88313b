import { Duration, Size, Testing } from 'cdk8s';
import { Cpu, EnvValue } from 'cdk8s-plus-28';
import { Engine, Framework, JobArray, TrainingJob, type TrainingJobProps } from '../../src';

function specOf(props: Partial<TrainingJobProps>): { readonly hooks?: unknown } {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Job', { framework: Framework.pytorch(), image: 'img', replicas: 2, ...props });
  return (Testing.synth(chart)[0] as { spec: { readonly hooks?: unknown } }).spec;
}

describe('hooks of a job', () => {
  test('are absent unless they are given', () => {
    expect(specOf({})).not.toHaveProperty('hooks');
  });

  test('have every property', () => {
    expect(specOf({
      hooks: {
        before: {
          image: 'tools', command: ['python', 'prepare.py'], args: ['--all'], env: { BUCKET: EnvValue.fromValue('data') }, timeout: Duration.minutes(5), backoffLimit: 2,
          resources: { cpu: Cpu.units(2), memory: Size.gibibytes(4) },
        },
        after: { command: ['register'] },
        onExit: { command: ['report'] },
      },
    }).hooks).toEqual({
      before: {
        image: 'tools', command: ['python', 'prepare.py'], args: ['--all'], env: [{ name: 'BUCKET', value: 'data' }], timeoutSeconds: 300, backoffLimit: 2,
        resources: { cpu: '2', memory: '4Gi' },
      },
      after: { command: ['register'] },
      onExit: { command: ['report'] },
    });
  });

  test('are refused on an engine that cannot run them', () => {
    expect(() => specOf({ engine: Engine.job(), replicas: 1, hooks: { after: { command: ['x'] } } }))
      .toThrow(/spec\.hooks\.after.*a plain Job creates all its pods from one template and starts them together\. Remove it, or choose .*the Trainyard operator/s);
    expect(() => specOf({ engine: Engine.jobSet(), hooks: { onExit: { command: ['x'] } } }))
      .toThrow(/spec\.hooks\.onExit.*JobSet creates no more pods when it has failed or succeeded\. Remove it, or choose the Trainyard operator/s);
  });

  test('are refused in arrays, whose copies would each run them', () => {
    expect(() => specOf({ array: { count: 3 } satisfies JobArray, hooks: { after: { command: ['x'] } } })).toThrow(/spec\.hooks.*cannot be combined with array/s);
  });
});
