/** Rules on the labels that pods select nodes by. */
import { checkGpuType } from './gpu-rules';
import { RULES } from './rule-list';
import { SHARING_STRATEGIES } from './sharing-rules';
import { checkTopology, checkTpuType } from './tpu-rules';
import { findTpu } from '../catalogue';
import { either, type FindingCollector } from '../../findings';
import { ACCELERATOR_LABELS, NODE_LABELS } from '../labels';
import { didYouMean } from '../../violations';

/** Where a label of the node selector stands. */
export type LabelPath = (label: string) => string;

/** Labels with few values, and these. */
const VALUES: { readonly [label: string]: readonly string[] } = {
  [NODE_LABELS.sharingStrategy]: SHARING_STRATEGIES,
  [NODE_LABELS.driverVersion]: ['default', 'latest', 'autoinstall-disabled', 'disabled'],
  [NODE_LABELS.gpuDirect]: ['rdma'],
  [NODE_LABELS.spot]: ['true'],
  [NODE_LABELS.preemptible]: ['true'],
  [NODE_LABELS.flexStart]: ['true'],
  [NODE_LABELS.queued]: ['true'],
  [NODE_LABELS.localSsd]: ['true'],
  [NODE_LABELS.provisioning]: ['standard', 'spot', 'flex-start', 'preemptible'],
  [NODE_LABELS.reservationAffinity]: ['specific', 'any', 'none'],
};

const KNOWN: readonly string[] = Object.values(NODE_LABELS);

/** Labels of GKE that are none of the accelerators' and close to one. */
const OTHERS = ['gke-nvidia-gpu-dra-driver', 'gke-tpu-dra-driver', 'gke-max-pods-per-node', 'gke-node-recycle-lead-time-seconds', 'placement-policy-name'];

export function checkLabels(selector: { readonly [label: string]: string }, pathOf: LabelPath, findings: FindingCollector): void {
  for (const [label, value] of Object.entries(selector)) {
    if (!KNOWN.includes(label)) {
      checkUnknownLabel(label, value, pathOf, findings);
    } else if (Object.hasOwn(VALUES, label) && !VALUES[label].includes(value)) {
      const guess = value.toLowerCase().replaceAll('_', '-');
      const hint = VALUES[label].includes(guess) ? ` Did you mean '${guess}'?` : didYouMean(value, VALUES[label]);
      findings.error(RULES.labelValue, pathOf(label), value, `must be ${either(VALUES[label])}: no node has another value, and the pod would wait forever.${hint}`);
    }
  }
  checkTypes(selector, pathOf, findings);
}

function checkUnknownLabel(label: string, value: string, pathOf: LabelPath, findings: FindingCollector): void {
  const name = label.slice(label.lastIndexOf('/') + 1);
  const ours = label.startsWith('cloud.google.com/') || !label.includes('/') || /google|gke/.test(label);
  if (!ours || OTHERS.includes(name)) {
    return;
  }
  const keys = ACCELERATOR_LABELS.map((key) => key.slice(key.lastIndexOf('/') + 1));
  const meant = keys.includes(name) ? name : /'(.*)'/.exec(didYouMean(name, keys))?.[1];
  const key = ACCELERATOR_LABELS.find((candidate) => meant !== undefined && candidate.endsWith(`/${meant}`));
  if (key !== undefined) {
    findings.error(RULES.label, pathOf(label), value, `has a key that no node has, and the pod would wait forever. Did you mean '${key}'?`);
  }
}

function checkTypes(selector: { readonly [label: string]: string }, pathOf: LabelPath, findings: FindingCollector): void {
  const { accelerator, tpuAccelerator, tpuTopology } = NODE_LABELS;
  if (selector[accelerator] !== undefined) {
    // GKE labels nodes of TPUs with gke-tpu-accelerator.
    if (findTpu(selector[accelerator]) !== undefined) {
      findings.error(RULES.label, pathOf(accelerator), selector[accelerator], `is a TPU, which nodes show in the label ${tpuAccelerator}. Select that, and ${tpuTopology}.`);
    } else {
      checkGpuType(selector[accelerator], pathOf(accelerator), findings);
    }
  }
  if (selector[tpuAccelerator] !== undefined) {
    const tpu = checkTpuType(selector[tpuAccelerator], pathOf(tpuAccelerator), findings);
    if (tpu !== undefined && selector[tpuTopology] !== undefined) {
      checkTopology(tpu, selector[tpuTopology], pathOf(tpuTopology), findings);
    }
  }
}
