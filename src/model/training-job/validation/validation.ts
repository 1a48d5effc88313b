/**
 * Every rule that a training job has to keep, whoever asks: the construct at synth, the operator before it acts, the CLI. The CRD's
 * schema repeats only what a schema can say. Rules come in two rounds, because the second needs a job that can be resolved: first types,
 * ranges and words (`spec-shape.ts`), then what the fields mean together. All broken rules of a round are reported at once.
 */
import { validateHooks, validateArray, validateElastic, validateCheckpoint, validateInit, validateRunPolicy } from './features';
import { primaryOf } from '../replicas/helpers';
import { needsPeerService } from '../replicas/replicas';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../replicas/resolve';
import { MAX_REPLICAS, MAX_ROLES, type TrainingJobSpec } from '../spec';
import { SPEC_SHAPE } from '../fields/spec-shape';
import { specSize, validateSpecSize } from '../fields/spec-size';
import { validateCode } from './code';
import { validateHelpers, validateResources, validateRoles } from './roles';
import { validateSecurity } from './security';
import { validateScheduling } from './scheduling';
import { validateTemplates } from './templates';
import { validateTuning } from './tuning';
import { validateVariables } from './variables';
import { MASTER_ROLE } from '../../frameworks/address-book';
import { frameworkContract } from '../../frameworks/registry';
import { coordinatorServiceName, podName, validateJobName, type DerivedName } from '../../names';
import { TEXT, checkShape } from '../../shapes';
import { ViolationCollector, distinct, type Violation } from '../../violations';

/**
 * Checks a job.
 * @param name name of the MLTrainingJob
 * @param spec its spec, possibly straight from YAML: nothing is taken for granted, and nothing makes this throw
 * @returns what is wrong, empty when the job can run
 */
export function validateTrainingJob(name: string, spec: TrainingJobSpec): Violation[] {
  const shape = checkShape(TEXT, name, 'metadata.name').concat(checkShape(SPEC_SHAPE, spec, 'spec'));
  const form = shape.length > 0 ? shape : validateForm(spec);
  return form.length > 0 ? form : distinct(validateMeaning(resolveTrainingJob(name, spec)));
}

/** Short form or long form, of a bearable size: the last of what resolving relies on. */
function validateForm(spec: TrainingJobSpec): Violation[] {
  const violations = new ViolationCollector();
  violations.addAll(validateSpecSize(specSize(spec)));
  if (spec.replicas === undefined && spec.roles === undefined) {
    violations.add('spec.replicas', undefined, 'is required, unless the job names its roles: set \'replicas\' (short form) or \'roles\'.');
  } else if (spec.replicas !== undefined && spec.roles !== undefined) {
    violations.add('spec.replicas', spec.replicas, 'cannot be combined with \'roles\', which count their own replicas. Remove one of the two.');
  }
  // The short form is spelled out as two roles at most.
  const roles = (spec.roles?.length ?? 0) + (spec.helpers?.length ?? 0) + (spec.roles === undefined && spec.helpers !== undefined ? 2 : 0);
  if (roles > MAX_ROLES) {
    violations.add(spec.helpers === undefined ? 'spec.roles' : 'spec.helpers', roles, `a job has at most ${MAX_ROLES} roles.`);
  }
  const tooMany = tooManyReplicas(spec);
  if (tooMany !== undefined) {
    violations.add(tooMany.path, tooMany.total, `all roles together have at most ${MAX_REPLICAS} replicas.`);
  }
  return violations.violations;
}

/**
 * Where a job asks for more replicas than it may have. The short form can add some, such as a launcher; an elastic job has to fit at its largest
 * size.
 */
function tooManyReplicas(spec: TrainingJobSpec): { readonly path: string; readonly total: number } | undefined {
  const { framework, replicas, roles, helpers = [], elastic } = spec;
  const sum = (list: readonly { readonly replicas?: number }[]) => [...list, ...helpers].reduce((total, role) => total + (role.replicas ?? 1), 0);
  const ofShortForm = (count: number) => sum(frameworkContract(framework).shortForm(count));
  const counted = [
    { path: 'spec.roles', total: roles && sum(roles) },
    { path: 'spec.replicas', total: replicas && ofShortForm(replicas) },
    { path: 'spec.elastic.maxReplicas', total: replicas && elastic && ofShortForm(elastic.maxReplicas) },
  ];
  const tooMany = counted.find((entry): entry is typeof entry & { readonly total: number } => (entry.total ?? 0) > MAX_REPLICAS);
  return tooMany && (helpers.length > 0 ? { ...tooMany, path: 'spec.helpers' } : tooMany);
}

function validateMeaning(job: ResolvedTrainingJob): Violation[] {
  const { spec } = job;
  const violations = new ViolationCollector();
  violations.addAll(validateJobName(job.name, longestName(job)));
  const roles = [...validateRoles(job), ...validateHelpers(job)];
  violations.addAll(roles);
  validateResources(spec.resources, 'spec.resources', violations);
  (spec.roles ?? []).forEach(({ resources }, index) => validateResources(resources, `spec.roles[${index}].resources`, violations));
  // A framework's rules and variables speak of its roles, so these have to be right.
  const framework = roles.length > 0 ? [] : job.framework.validate?.(primaryOf(job)) ?? [];
  violations.addAll(framework);
  if (roles.length === 0 && framework.length === 0) {
    validateVariables(job, violations);
    validateInit(job, violations);
  }
  validateElastic(job, violations);
  // Files of rules are loaded for what is given.
  violations.addAll(spec.security === undefined ? [] : validateSecurity(job));
  validateRunPolicy(job, violations);
  violations.addAll(spec.scheduling === undefined ? [] : validateScheduling(job));
  violations.addAll(spec.template === undefined && spec.roles === undefined && spec.helpers === undefined ? [] : validateTemplates(spec));
  validateCheckpoint(spec, violations);
  violations.addAll(spec.hooks === undefined ? [] : validateHooks(job));
  violations.addAll(spec.code === undefined ? [] : validateCode(spec));
  violations.addAll(spec.autoTuning === undefined ? [] : validateTuning(job.name, spec, validateTrainingJob));
  violations.addAll(validateArray(job.name, spec, validateTrainingJob));
  return violations.violations;
}

/** The longest name that becomes a DNS label, so that the limit is checked once for all of them. */
function longestName(job: ResolvedTrainingJob): DerivedName {
  const service = { name: coordinatorServiceName(job.name, MASTER_ROLE), what: 'service' };
  if (!needsPeerService(job)) {
    return service;
  }
  const names = [service];
  for (const role of job.roles) {
    names.push({ name: podName(job.name, role.name, Math.max(role.replicas, job.spec.elastic?.maxReplicas ?? 0) - 1, role.singleton), what: `host name of the last ${role.name}` });
  }
  return names.reduce((longest, candidate) => (candidate.name.length > longest.name.length ? candidate : longest));
}
