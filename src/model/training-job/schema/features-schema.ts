/** Schemas of the job's larger features: checkpoints, elasticity, search, preflight, debugging, idleness. */
import { boolean, integer, object, objectName, text, word, type JsonSchema } from './json-schema';
import type { CheckpointSpec, DebugSpec, ElasticSpec, IdleSpec, PreflightSpec } from '../features';
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
    keepLast: integer('How many checkpoints the script should keep, told to it as CHECKPOINT_KEEP_LAST. All by default.', { minimum: 1 }),
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
  return object<ElasticSpec>('Range in which spec.replicas may change while the job runs. The job goes on as long as the fewest are there.', {
    minReplicas: integer('Fewest replicas.', { minimum: 1, maximum: MAX_REPLICAS }),
    maxReplicas: integer('Most replicas.', { minimum: 1, maximum: MAX_REPLICAS }),
    maxRestarts: integer('PyTorch: how often torchrun starts the processes of a replica again by itself. Each loss of a peer takes one. 100 by default.', { minimum: 0 }),
  }, {
    required: ['minReplicas', 'maxReplicas'],
    rules: [{
      rule: 'self.minReplicas <= self.maxReplicas',
      message: 'must be at least minReplicas. Raise it or lower minReplicas',
      fieldPath: '.maxReplicas',
    }],
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
