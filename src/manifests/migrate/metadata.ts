/** Metadata of an object: what the job keeps, what the API server set, and Kueue's labels. */
import { type Fields, MigrationError } from './fields';
import type { JobMetadata } from './job';
import type { Notes } from './notes';
import { JOB_LABEL, LAST_APPLIED_ANNOTATION, MANAGED_BY_ENGINES, MANAGED_BY_LABEL } from '../../model/labels';
import { KUEUE_GROUP, PRIORITY_CLASS_LABEL, QUEUE_NAME_LABEL } from '../../model/kueue-names';
import { trimmedEnd } from '../../model/text/trim';

const MAX_EXECUTION_TIME = `${KUEUE_GROUP}/max-exec-time-seconds`;
const ELASTIC = `${KUEUE_GROUP}/elastic-job`;

/** Fields that the API server and its clients set. */
const SERVER_FIELDS = [
  'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'managedFields', 'selfLink',
];
const SERVER_ANNOTATIONS = [LAST_APPLIED_ANNOTATION];

/**
 * Reads `metadata` and ignores `status`.
 * @param isOurs whether the object is an MLTrainingJob, whose labels Kueue does not read
 * @throws MigrationError for an object without a name
 */
export function readMetadata(object: Fields, notes: Notes, isOurs = false): JobMetadata {
  const metadata = object.object('metadata');
  if (metadata === undefined) {
    throw new MigrationError('metadata', undefined, 'is missing. Set metadata.name.');
  }
  const name = metadata.text('name') ?? generatedName(metadata, notes);
  ignoreServerFields(object, metadata, notes);
  const labels = metadata.textMap('labels') ?? {};
  const annotations = metadata.textMap('annotations') ?? {};
  SERVER_ANNOTATIONS.forEach((annotation) => delete annotations[annotation]);
  notes.lose(metadata, 'belongs to the object in the cluster, and the new one has its own.', 'ownerReferences', 'finalizers');
  if (labels[MANAGED_BY_LABEL] === MANAGED_BY_ENGINES) {
    [MANAGED_BY_LABEL, JOB_LABEL].forEach((label) => delete labels[label]);
  }
  const queue = isOurs ? {} : readQueue(labels, annotations, notes);
  return { name, namespace: metadata.text('namespace'), labels, annotations, scheduling: queue };
}

function generatedName(metadata: Fields, notes: Notes): string {
  const prefix = metadata.text('generateName');
  if (prefix === undefined) {
    throw new MigrationError('metadata.name', undefined, 'is missing. Set a name.');
  }
  const name = trimmedEnd(prefix, '-');
  notes.differs('metadata.generateName', prefix, `the job has the fixed name ${name}: names of pods and services are derived from it.`);
  return name;
}

function ignoreServerFields(object: Fields, metadata: Fields, notes: Notes): void {
  const annotations = (metadata.peek('annotations') ?? {}) as { readonly [name: string]: unknown };
  const found = [
    ...SERVER_FIELDS.filter((field) => metadata.take(field) !== undefined),
    ...SERVER_ANNOTATIONS.filter((annotation) => Object.hasOwn(annotations, annotation)),
    ...(isEmpty(object.take('status')) ? [] : ['status']),
  ];
  if (found.length > 0) {
    notes.changed('metadata', undefined, `${found.join(', ')}: left out; the cluster sets ${found.length > 1 ? 'them' : 'it'} again.`);
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** Removes Kueue's labels from the maps. */
function readQueue(labels: { [name: string]: string }, annotations: { [name: string]: string }, notes: Notes): JobMetadata['scheduling'] {
  const take = (map: { [name: string]: string }, name: string) => {
    const value = map[name] as string | undefined;
    delete map[name];
    return value;
  };
  const queueName = take(labels, QUEUE_NAME_LABEL);
  const priority = take(labels, PRIORITY_CLASS_LABEL);
  const seconds = take(labels, MAX_EXECUTION_TIME);
  const elastic = take(annotations, ELASTIC);
  if (queueName !== undefined) {
    notes.changed(`metadata.labels['${QUEUE_NAME_LABEL}']`, queueName, 'is scheduling.queueName.');
  }
  if (priority !== undefined && queueName !== undefined) {
    notes.changed(`metadata.labels['${PRIORITY_CLASS_LABEL}']`, priority, 'is scheduling.queuePriorityClassName.');
  } else if (priority !== undefined) {
    notes.lost(`metadata.labels['${PRIORITY_CLASS_LABEL}']`, priority, 'has no effect without a queue. Set scheduling.queueName and scheduling.queuePriorityClassName.');
  }
  if (seconds !== undefined) {
    notes.lost(`metadata.labels['${MAX_EXECUTION_TIME}']`, seconds,
      'has no equivalent: Kueue evicts such a job from its queue. The closest setting is runPolicy.activeDeadlineSeconds, which fails the job.');
  }
  if (elastic !== undefined) {
    notes.lost(`metadata.annotations['${ELASTIC}']`, elastic, 'has no equivalent: an elastic job requests and keeps the quota of elastic.maxReplicas.');
  }
  return { queueName, ...(queueName !== undefined && { queuePriorityClassName: priority }) };
}
