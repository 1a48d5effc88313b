/** Schemas of the job's larger features: checkpoints, elasticity, search, preflight, debugging, idleness. */
import { boolean, integer, object, objectName, text, word, type JsonSchema } from './json-schema';
import type { CheckpointSpec, DebugSpec, ElasticSpec, IdleSpec, PreflightSpec } from '../fields/features';
import { MAX_REPLICAS } from '../spec';

/** Schema of CheckpointSpec. */
export function checkpointSchema(): JsonSchema {
  return object<CheckpointSpec>('Checkpoint settings other than the location.', {
    resumeFrom: text('Checkpoint to start from, given to the script as RESUME_FROM.', { minLength: 1, maxLength: 4096 }),
    gracePeriodSeconds: integer('Seconds that a replica has between SIGTERM and SIGKILL to save a checkpoint. Kubernetes\' 30 by default.', { minimum: 0 }),
    claimName: objectName('Existing claim that every replica mounts at checkpointPath.'),
    subPath: text('Folder inside the claim. Its root by default.', {
      minLength: 1,
      maxLength: 4096,
      rules: [{ rule: '!self.startsWith(\'/\') && !(\'..\' in self.split(\'/\'))', message: 'must be a relative path without \'..\'' }],
    }),
    keepLast: integer('How many checkpoints the script should keep, passed as CHECKPOINT_KEEP_LAST. All by default.', { minimum: 1 }),
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
  return object<ElasticSpec>('Range in which spec.replicas may change while the job runs. The job continues while at least the minimum is running.', {
    minReplicas: integer('Fewest replicas.', { minimum: 1, maximum: MAX_REPLICAS }),
    maxReplicas: integer('Most replicas.', { minimum: 1, maximum: MAX_REPLICAS }),
    maxRestarts: integer('PyTorch: how often torchrun itself restarts the processes of a replica. Each lost peer uses one restart. 100 by default.', { minimum: 0 }),
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
    enabled: boolean('Whether the checks run.', { default: true }),
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
    belowPercent: integer('Utilization in percent below which a replica is idle.', { minimum: 0, maximum: 100 }),
    forSeconds: integer('Seconds of idleness after which the action is taken.', { minimum: 1 }),
    action: word('Action to take.', ['Warn', 'Suspend'], { default: 'Warn' }),
  }, { required: ['belowPercent', 'forSeconds'] });
}
