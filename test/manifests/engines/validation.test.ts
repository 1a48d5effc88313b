import { no, partly } from '../../../src/manifests/engines/capabilities';
import type { EngineDefinition } from '../../../src/manifests/engines/engine';
import { OPERATOR_ENGINE } from '../../../src/manifests/engines/operator';
import { validateForEngine } from '../../../src/manifests/engines/validation';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

/** An engine that lacks a few things. */
const SMALL: EngineDefinition = {
  ...OPERATOR_ENGINE,
  name: 'small',
  title: 'Small',
  capabilities: {
    frameworks: { ...OPERATOR_ENGINE.capabilities.frameworks, mxnet: no('knows no MXNet') },
    fields: {
      ...OPERATOR_ENGINE.capabilities.fields,
      'elastic.minReplicas': no('has jobs of one size'),
      'runPolicy.backoffLimit': no('never retries'),
      'runPolicy.cleanPodPolicy': partly('All only', (value) => (value === 'All' ? undefined : 'always removes all pods')),
    },
  },
  validate: (name) => (name === 'forty-two' ? [{ path: 'metadata.name', value: name, message: 'is taken.' }] : []),
};

const JOB: TrainingJobSpec = { framework: 'pytorch', image: 'image', replicas: 2 };
const others = [OPERATOR_ENGINE, SMALL];

describe('a job for an engine', () => {
  test('of our own may be given to another controller, but not to MultiKueue, which cannot run it', () => {
    const given = (managedBy: string) => validateForEngine(OPERATOR_ENGINE, 'net', { ...JOB, managedBy }).map(({ path, message }) => `${path}: ${message}`);
    expect(given('other.example/controller')).toEqual([]);
    expect(given('kueue.x-k8s.io/multikueue')).toEqual([
      expect.stringMatching(/^spec\.managedBy: the Trainyard operator does not run jobs of MultiKueue: .*\. Remove it, or choose Kubeflow Trainer /),
    ]);
  });

  test('that asks for nothing special is right on every engine', () => {
    expect(validateForEngine(SMALL, 'net', JOB, others)).toEqual([]);
  });

  test('is refused with the field, the engine and the engines that can', () => {
    expect(validateForEngine(SMALL, 'net', { ...JOB, elastic: { minReplicas: 1, maxReplicas: 4 } }, others)).toEqual([{
      path: 'spec.elastic.minReplicas', value: 1, message: 'Small has jobs of one size. Remove it, or choose the Trainyard operator.',
    }]);
  });

  test('is told plainly when no engine can', () => {
    expect(validateForEngine(SMALL, 'net', { ...JOB, elastic: { minReplicas: 1, maxReplicas: 4 } }, [SMALL])[0].message)
      .toBe('Small has jobs of one size. Remove it.');
  });

  test('may give the default of a field that the engine lacks, and nothing else', () => {
    expect(validateForEngine(SMALL, 'net', { ...JOB, runPolicy: { backoffLimit: 6 } }, others)).toEqual([]);
    expect(validateForEngine(SMALL, 'net', { ...JOB, runPolicy: { backoffLimit: 5 } }, others)).toHaveLength(1);
  });

  test('may use a field within the engine\'s limits', () => {
    expect(validateForEngine(SMALL, 'net', { ...JOB, runPolicy: { cleanPodPolicy: 'All' } }, others)).toEqual([]);
    expect(validateForEngine(SMALL, 'net', { ...JOB, runPolicy: { cleanPodPolicy: 'None' } }, others)).toEqual([{
      path: 'spec.runPolicy.cleanPodPolicy', value: 'None', message: 'Small always removes all pods. Remove it, or choose the Trainyard operator.',
    }]);
  });

  test('of a framework that the engine does not know is told that first', () => {
    const job: TrainingJobSpec = { framework: 'mxnet', image: 'image', replicas: 2, runPolicy: { backoffLimit: 1 } };
    expect(validateForEngine(SMALL, 'net', job, others)).toEqual([{
      path: 'spec.framework', value: 'mxnet', message: 'Small knows no MXNet. Choose the Trainyard operator.',
    }]);
  });

  test('keeps the model\'s rules before the engine\'s', () => {
    expect(validateForEngine(SMALL, 'net', { ...JOB, replicas: 0, runPolicy: { backoffLimit: 1 } }, others).map(({ path }) => path)).toEqual(['spec.replicas']);
  });

  test('keeps the engine\'s own rules last', () => {
    expect(validateForEngine(SMALL, 'forty-two', JOB, others)).toEqual([{ path: 'metadata.name', value: 'forty-two', message: 'is taken.' }]);
  });
});
