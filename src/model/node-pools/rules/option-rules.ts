/** The name of a pool, and independent options of its nodes. */
import { POOL_RULES } from './rule-list';
import type { NodePoolSpec, PoolBlueGreenUpgrade, PoolUpgrade } from '../spec';
import { findMachine } from '../../accelerators/catalogue';
import { GPU_RESOURCE, NODE_LABELS, TPU_RESOURCE_NAME, isSystemLabel } from '../../accelerators/labels';
import { networkOfMachine } from '../../accelerators/networks';
import type { AcceleratorInfo } from '../../accelerators/types';
import { either, type FindingCollector } from '../../findings';
import { fieldPath } from '../../shapes';
import { didYouMean } from '../../violations';

export const POOL_NAME_MAX_LENGTH = 40;

const POOL_NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

const STRATEGIES = ['SURGE', 'BLUE_GREEN'];

/** GKE's own choice for flex-start and queued machines. Google's providers reject it. */
const CHOSEN_BY_GKE = 'SHORT_LIVED';

const METADATA_MODES = ['GKE_METADATA', 'GCE_METADATA'];

const PODS_PER_NODE = { min: 8, max: 256 } as const;

/** Checks name, upgrades, metadata and what nodes are made to do. */
export function checkOptions(pool: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector): void {
  const { name, maxPodsPerNode, workloadMetadata } = pool;
  if (!POOL_NAME.test(name) || name.length > POOL_NAME_MAX_LENGTH) {
    const long = name.length > POOL_NAME_MAX_LENGTH ? ` It has ${name.length}.` : '';
    findings.error(POOL_RULES.name, `${path}.name`, name, `must start with a lower-case letter, contain only lower-case letters, digits and '-', not end with '-', and have at most ${POOL_NAME_MAX_LENGTH} characters.${long}`);
  }
  const { min, max } = PODS_PER_NODE;
  findings.whole(POOL_RULES.podsPerNode, `${path}.maxPodsPerNode`, maxPodsPerNode, min, max);
  if (workloadMetadata !== undefined && !METADATA_MODES.includes(workloadMetadata)) {
    findings.error(POOL_RULES.metadataMode, `${path}.workloadMetadata`, workloadMetadata, `must be ${either(METADATA_MODES)}.${didYouMean(workloadMetadata, METADATA_MODES)}`);
  }
  checkUpgrade(pool.upgrade ?? {}, `${path}.upgrade`, findings);
  checkConfidential(pool, path, findings);
  checkTraffic(pool, accelerator, `${path}.network`, findings);
  checkComputeClass(pool, path, findings);
}

function checkUpgrade({ strategy, maxSurge, maxUnavailable, blueGreen }: PoolUpgrade, path: string, findings: FindingCollector): void {
  if (strategy === CHOSEN_BY_GKE) {
    findings.error(POOL_RULES.strategy, `${path}.strategy`, strategy, 'is chosen by GKE for flex-start and queued machines, and cannot be set. Remove it.');
    return;
  }
  if (strategy !== undefined && !STRATEGIES.includes(strategy)) {
    findings.error(POOL_RULES.strategy, `${path}.strategy`, strategy, `must be ${either(STRATEGIES)}.${didYouMean(strategy, STRATEGIES)}`);
    return;
  }
  for (const [field, value] of Object.entries({ maxSurge, maxUnavailable })) {
    if (value !== undefined && strategy !== undefined && strategy !== 'SURGE') {
      findings.error(POOL_RULES.strategy, `${path}.${field}`, value, `belongs to the strategy SURGE, but the pool uses ${strategy}. Remove it.`);
    } else {
      findings.whole(POOL_RULES.strategy, `${path}.${field}`, value, 0);
    }
  }
  if (blueGreen !== undefined && strategy !== 'BLUE_GREEN') {
    findings.error(POOL_RULES.strategy, `${path}.blueGreen`, undefined, 'belongs to the strategy BLUE_GREEN. Set that, or remove it.');
  } else if (blueGreen !== undefined) {
    checkBatches(blueGreen, `${path}.blueGreen`, findings);
  }
}

function checkBatches(steps: PoolBlueGreenUpgrade, path: string, findings: FindingCollector): void {
  const { batchNodes, batchPercentage, batchSoakSeconds, soakSeconds } = steps;
  if (batchNodes !== undefined && batchPercentage !== undefined) {
    findings.error(POOL_RULES.strategy, `${path}.batchPercentage`, batchPercentage, 'cannot be combined with batchNodes. Remove one of the two.');
  }
  findings.whole(POOL_RULES.strategy, `${path}.batchNodes`, batchNodes, 1);
  if (batchPercentage !== undefined && !(batchPercentage > 0 && batchPercentage <= 1)) {
    findings.error(POOL_RULES.strategy, `${path}.batchPercentage`, batchPercentage, 'must be a fraction greater than 0 and at most 1.');
  }
  for (const [field, value] of Object.entries({ batchSoakSeconds, soakSeconds })) {
    findings.whole(POOL_RULES.strategy, `${path}.${field}`, value, 0, Infinity, ', in seconds.');
  }
}

function checkConfidential({ confidentialNodeType, machineType }: NodePoolSpec, path: string, findings: FindingCollector): void {
  const machine = machineType === undefined ? undefined : findMachine(machineType)?.machine;
  if (confidentialNodeType === undefined || machine === undefined) {
    return;
  }
  const types = machine.confidentialNodeTypes ?? [];
  if (types.length === 0) {
    findings.warn(POOL_RULES.confidential, `${path}.confidentialNodeType`, confidentialNodeType, `is not documented for ${machineType}.`);
  } else if (!types.includes(confidentialNodeType)) {
    findings.error(POOL_RULES.confidential, `${path}.confidentialNodeType`, confidentialNodeType, `is not a confidential node type of ${machineType}. Use ${either(types)}.`);
  }
}

function checkTraffic(
  { network = {}, machineType }: NodePoolSpec, accelerator: AcceleratorInfo | undefined, path: string, findings: FindingCollector,
): void {
  const { gpuDirect, acceleratorNetworkProfile, fastSocket, gvnic } = network;
  if (fastSocket && !gvnic) {
    // The facts could not confirm it, so it warns.
    findings.warn(POOL_RULES.fastSocket, `${path}.fastSocket`, true, 'may have no effect without gVNIC. Set gvnic too.');
  }
  if (gpuDirect === undefined) {
    return;
  }
  if (gpuDirect !== 'rdma') {
    findings.error(POOL_RULES.gpuDirect, `${path}.gpuDirect`, gpuDirect, "must be 'rdma'.");
  } else if (acceleratorNetworkProfile === undefined) {
    findings.error(POOL_RULES.gpuDirect, `${path}.gpuDirect`, gpuDirect, "needs the networks that DRANET creates. Set acceleratorNetworkProfile: 'auto' too.");
  }
  const family = accelerator?.kind === 'gpu' && machineType !== undefined ? networkOfMachine(accelerator, machineType).family : undefined;
  if (family !== undefined && family !== 'rdma') {
    findings.error(POOL_RULES.gpuDirect, `${path}.gpuDirect`, gpuDirect, `is not available: ${machineType} has no RDMA interfaces. Remove it.`);
  }
}

function checkComputeClass({ computeClass, labels = {} }: NodePoolSpec, path: string, findings: FindingCollector): void {
  const written = labels[NODE_LABELS.computeClass];
  if (computeClass !== undefined && written !== undefined && written !== computeClass) {
    findings.error(POOL_RULES.classOfPool, fieldPath(`${path}.labels`, NODE_LABELS.computeClass), written, `differs from computeClass: '${computeClass}'. Remove one of the two.`);
  }
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** System labels that GKE leaves to the owner of a pool. */
const ONES_OWN: readonly string[] = [NODE_LABELS.queued, NODE_LABELS.computeClass, NODE_LABELS.networkingDra];

export function checkMetadata({ labels = {}, taints = [], gpus, tpus }: NodePoolSpec, path: string, findings: FindingCollector): void {
  for (const [label, value] of Object.entries(labels)) {
    if (isSystemLabel(label) && !ONES_OWN.includes(label)) {
      findings.warn(POOL_RULES.systemLabel, fieldPath(`${path}.labels`, label), value, 'is a system label, which GKE sets itself. Remove it.');
    }
  }
  const device = gpus !== undefined ? GPU_RESOURCE : tpus !== undefined ? TPU_RESOURCE_NAME : undefined;
  taints.forEach(({ key, value, effect }, index) => {
    if (!EFFECTS.includes(effect)) {
      const spelled = EFFECTS.find((candidate) => candidate.toUpperCase() === effect.replaceAll('_', '').toUpperCase());
      findings.error(POOL_RULES.effect, `${path}.taints[${index}].effect`, effect,
        `must be ${either(EFFECTS)}.${spelled === undefined ? didYouMean(effect, EFFECTS) : ` Did you mean '${spelled}'?`}`);
    }
    if (key === device) {
      findings.error(POOL_RULES.gpuTaint, `${path}.taints[${index}]`, `${key}=${value}`, `is added by GKE itself, and GKE rejects a pool with more than one taint with key ${key}. Remove it.`);
    }
  });
}
