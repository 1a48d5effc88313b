/** All rules on an InferenceService: those on candidates, the others in a file by their topic. */
import { validateServingNames } from './names';
import {
  DEFAULT_MIN_REPLICAS, canaryPredictor, type CanarySpec, type ComponentSpec, type InferenceServiceSpec, type NamedInferenceService,
} from './spec';
import { validateServingComponents } from './validation-component';
import { validateServingScaling } from './validation-scaling';
import { validateServingStorage } from './validation-storage';
import { ViolationCollector, type Violation } from '../violations';

/** What is wrong with an InferenceService; paths are those of KServe's object. */
export function validateInferenceService(service: NamedInferenceService): Violation[] {
  const violations = new ViolationCollector();
  violations.addAll(validateServingNames(service));
  violations.addAll(validateServingStorage(service.spec));
  violations.addAll(validateServingScaling(service.spec));
  violations.addAll(validateServingComponents(service.spec));
  validateCanaries(service.spec, violations);
  return violations.violations;
}

/**
 * Rules on candidates. In Standard mode those of KServe's webhook for `spec.canary`, in Knative mode what `canaryTrafficPercent` can say: there the
 * candidate takes the predictor's place, and only one can.
 * @see https://github.com/kserve/kserve/pull/5672
 */
function validateCanaries({ mode, predictor, canaries = [] }: InferenceServiceSpec, violations: ViolationCollector): void {
  canaries.forEach((canary, index) => {
    const path = mode === 'Standard' ? `spec.canary[${index}]` : 'spec.predictor';
    violations.whole(`${path}.${mode === 'Standard' ? 'trafficPercent' : 'canaryTrafficPercent'}`, canary.trafficPercent, 0, 100, '; 0 means no traffic yet.');
    validateName(canary, canaries.slice(0, index), predictor, path, violations);
    validateDifference(canary, predictor, path, violations);
    if (mode === 'Standard') {
      validateInStandard(canary, predictor, path, violations);
    } else if (canary.replicas !== undefined) {
      violations.add(`${path}.minReplicas`, canary.replicas, 'Knative scales each revision by its own traffic. Leave the replicas of the canary out.');
    }
  });
  validateTogether(mode, canaries, violations);
}

function validateName(
  { name }: CanarySpec, earlier: readonly CanarySpec[], predictor: ComponentSpec, path: string, violations: ViolationCollector,
): void {
  if (earlier.some((other) => other.name === name)) {
    violations.add(`${path}.predictor.name`, name, 'is the name of an earlier canary. Use unique names: Deployments are named after them.');
  }
  if (name === predictor.name) {
    violations.add(`${path}.predictor.name`, name, 'is the name of the predictor that serves now. After a promotion, move the canary\'s model into the predictor and remove the canary.');
  }
}

/** KServe refuses to promote what is not another model, because nothing would distinguish the two Deployments. */
function validateDifference(canary: CanarySpec, predictor: ComponentSpec, path: string, violations: ViolationCollector): void {
  const identity = ({ model, container, storage = [], image, args = [], env = [] }: ComponentSpec) => (
    JSON.stringify([model, container, storage, image, args, env]));
  if (identity(canaryPredictor(predictor, canary)) === identity(predictor)) {
    violations.add(`${path}.predictor`, canary.name, 'serves the same model as the predictor, so KServe would refuse to promote it. Change storage, format, runtime or image.');
  }
}

function validateInStandard({ replicas, changes, name }: CanarySpec, predictor: ComponentSpec, path: string, violations: ViolationCollector): void {
  if (predictor.model === undefined) {
    violations.add(`${path}.predictor`, name, 'KServe compares models, and the predictor is a custom container. Serve it with a ServingRuntime, or split traffic between two services with an InferenceRoute.');
  }
  if (predictor.worker !== undefined || changes.worker !== undefined) {
    violations.add(`${path}.predictor.workerSpec`, name, 'a canary has one node per replica. Split traffic between two services with an InferenceRoute.');
  }
  const stable = predictor.scaling?.minReplicas ?? DEFAULT_MIN_REPLICAS;
  if (violations.whole(`${path}.predictor.minReplicas`, replicas, 1) && replicas !== undefined && replicas > stable) {
    violations.add(`${path}.predictor.minReplicas`, replicas, `is more than the predictor's fewest replicas (${stable}). Lower it, or raise the other first.`);
  }
}

function validateTogether(mode: InferenceServiceSpec['mode'], canaries: readonly CanarySpec[], violations: ViolationCollector): void {
  const serving = canaries.filter(({ phase }) => phase === 'serving');
  const sum = serving.reduce((total, { trafficPercent }) => total + trafficPercent, 0);
  if (mode === 'Standard' && serving.length > 1 && sum > 100) {
    violations.add('spec.canary', serving.map(({ trafficPercent }) => trafficPercent).join(' + '), `is ${sum} % of the traffic, more than 100 %. Lower one of them.`);
  }
  if (mode === 'Knative' && canaries.length > 1) {
    violations.add('spec.predictor.canaryTrafficPercent', canaries.map(({ name }) => name).join(', '), 'Knative mode has one canary: the newest revision. Remove the others, or use Standard mode.');
  }
  const promoted = canaries.filter(({ phase }) => phase === 'promoted');
  if (promoted.length > 1) {
    violations.add('spec.predictor.name', promoted.map(({ name }) => name).join(', '), 'only one canary can replace the predictor. Promote one of them.');
  }
}
