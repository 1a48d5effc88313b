/** Schemas of the job's larger features: checkpoints, elasticity, search, preflight, debugging, idleness. */
import { boolean, integer, list, map, number, object, objectName, text, word, type JsonSchema } from './json-schema';
import type { AutoTuningSpec, CheckpointSpec, DebugSpec, ElasticSpec, IdleSpec, PreflightSpec, TuningParameterSpec } from '../features';
import { MAX_REPLICAS } from '../spec';

/** Schema of CheckpointSpec. */
export function checkpointSchema(): JsonSchema {
  return object<CheckpointSpec>('Everything about checkpoints but their place.', {
    resumeFrom: text('Checkpoint to start from, given to the script as RESUME_FROM.', { minLength: 1, maxLength: 4096 }),
    gracePeriodSeconds: integer('Seconds that a replica gets between SIGTERM and SIGKILL to save. Kubernetes\' 30 by default.', { minimum: 0 }),
    claimName: objectName('Existing claim that every replica mounts at checkpointPath.'),
    subPath: text('Folder inside the claim. Its root by default.', {
      minLength: 1,
      maxLength: 4096,
      rules: [{ rule: '!self.startsWith(\'/\') && !(\'..\' in self.split(\'/\'))', message: 'must be a relative path without \'..\'' }],
    }),
    keepLast: integer('How many checkpoints are kept. All by default.', { minimum: 1 }),
  }, {
    rules: [{
      rule: '!has(self.subPath) || has(self.claimName)',
      message: 'is a folder inside a claim. Set claimName',
      fieldPath: '.subPath',
    }],
  });
}

/** Schema of ElasticSpec. */
export function elasticSchema(): JsonSchema {
  return object<ElasticSpec>('Range in which the number of replicas may change while the job runs.', {
    minReplicas: integer('Fewest replicas.', { minimum: 1, maximum: MAX_REPLICAS }),
    maxReplicas: integer('Most replicas.', { minimum: 1, maximum: MAX_REPLICAS }),
    maxRestarts: integer('Restarts of the worker group that torchrun makes by itself.', { minimum: 0 }),
  }, {
    required: ['minReplicas', 'maxReplicas'],
    rules: [{
      rule: 'self.minReplicas <= self.maxReplicas',
      message: 'must be at least minReplicas. Raise it or lower minReplicas',
      fieldPath: '.maxReplicas',
    }],
  });
}

/** Schema of AutoTuningSpec. */
export function autoTuningSchema(): JsonSchema {
  return object<AutoTuningSpec>('Hyperparameter search over this job.', {
    enabled: boolean('Whether the search is made.', { default: true }),
    algorithm: word('How the next trial is chosen.', ['bayesian', 'random', 'grid', 'hyperband'], { default: 'bayesian' }),
    maxTrials: integer('Trials at most.', { minimum: 1, maximum: 100_000, default: 20 }),
    parallelTrials: integer('Trials at a time.', { minimum: 1, maximum: 10_000, default: 1 }),
    objective: text('Metric that is optimised.', { minLength: 1, maxLength: 256 }),
    goal: word('Which way is better.', ['maximize', 'minimize'], { default: 'maximize' }),
    target: number('Value of the objective at which the search ends.'),
    seed: integer('Start of the random numbers. Derived from the job\'s uid by default.', { minimum: 0, format: 'int64' }),
    parameters: map('The search space by name of the hyperparameter.', tuningParameterSchema(), 64, { minProperties: 1 }),
  }, { required: ['objective', 'parameters'] });
}

function tuningParameterSchema(): JsonSchema {
  return object<TuningParameterSpec>('One dimension of the search space: a range or a list of values.', {
    type: word('Kind of its values.', ['float', 'int', 'categorical']),
    min: number('Smallest value.'),
    max: number('Largest value.'),
    step: number('Distance between two values.'),
    scale: word('How values are spread over the range.', ['linear', 'log'], { default: 'linear' }),
    values: list('The values, numbers or strings.', {
      // Numbers with a fraction are no int-or-string, and a structural schema knows no other union: anything but lists and objects. Rules
      // cannot see such a list; the model's own check says what is missing.
      'description': 'A number or a string.',
      'x-kubernetes-preserve-unknown-fields': true,
      'maxItems': 0,
      'maxProperties': 0,
    }, 1024, { minItems: 1 }),
  }, {
    required: ['type'],
    rules: [
      {
        rule: 'has(self.min) == has(self.max) && (!has(self.min) || self.min < self.max)',
        message: 'needs min and max together, min below max',
        fieldPath: '.max',
      },
      {
        rule: 'self.type != \'categorical\' || !(has(self.min) || has(self.max) || has(self.step))',
        message: 'is categorical and takes values, not a range',
        fieldPath: '.type',
      },
      { rule: '!has(self.step) || self.step > 0.0', message: 'must be more than 0', fieldPath: '.step' },
      {
        rule: 'self.scale != \'log\' || (has(self.min) && self.min > 0.0)',
        message: 'is log and needs a range above 0',
        fieldPath: '.scale',
      },
    ],
  });
}

/** Schema of PreflightSpec. */
export function preflightSchema(): JsonSchema {
  return object<PreflightSpec>('Checks of each node, and of the network between nodes, before training starts.', {
    enabled: boolean('Whether the checks are made.', { default: true }),
    image: text('Image of the checks. The training image by default.', { minLength: 1, maxLength: 1024, pattern: '^\\S+$' }),
    timeoutSeconds: integer('Seconds that the checks may take.', { minimum: 1, default: 300 }),
  });
}

/** Schema of DebugSpec. */
export function debugSchema(): JsonSchema {
  return object<DebugSpec>('Presets for NCCL and torch, and stack dumps of hung processes.', {
    enabled: boolean('Whether they are on.', { default: true }),
  });
}

/** Schema of IdleSpec. */
export function idleSchema(): JsonSchema {
  return object<IdleSpec>('What happens to a job that leaves its accelerators unused.', {
    belowPercent: integer('Use in percent below which a replica is idle.', { minimum: 0, maximum: 100 }),
    forSeconds: integer('Seconds of idleness after which something is done.', { minimum: 1 }),
    action: word('What is done.', ['Warn', 'Suspend'], { default: 'Warn' }),
  }, { required: ['belowPercent', 'forSeconds'] });
}
