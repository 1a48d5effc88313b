import { Duration, Testing } from 'cdk8s';
import { Framework, IdleAction, StallAction, TrainingJob, type TrainingJobProps } from '../../src';

function specOf(props: Partial<TrainingJobProps>): unknown {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Job', { framework: Framework.pytorch(), image: 'img', replicas: 2, ...props });
  return (Testing.synth(chart)[0] as { spec: unknown }).spec;
}

describe('hung and sick jobs', () => {
  test('say nothing unless they are asked to', () => {
    expect(specOf({})).toEqual({ framework: 'pytorch', image: 'img', replicas: 2 });
    expect(specOf({ debug: false })).not.toHaveProperty('debug');
  });

  test('have all defaults for empty properties', () => {
    expect(specOf({ debug: true, preflight: {} })).toMatchObject({ debug: {}, preflight: {} });
  });

  test('have every option in seconds', () => {
    expect(specOf({
      preflight: { image: 'python:3', timeout: Duration.minutes(2) },
      idle: { belowPercent: 5, duration: Duration.hours(1), action: IdleAction.SUSPEND },
      runPolicy: { stall: { timeout: Duration.minutes(20), action: StallAction.FAIL } },
    })).toMatchObject({
      preflight: { image: 'python:3', timeoutSeconds: 120 },
      idle: { belowPercent: 5, forSeconds: 3600, action: 'Suspend' },
      runPolicy: { stall: { timeoutSeconds: 1200, action: 'Fail' } },
    });
  });

  test('with a percentage that is none are refused', () => {
    expect(() => specOf({ idle: { belowPercent: 500, duration: Duration.hours(1) } })).toThrow(/spec\.idle\.belowPercent: 500/);
  });
});
