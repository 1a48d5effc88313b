/** The results of `trainyard validate`: mistakes, with all details that a user or an editor needs to fix them. */
import type { Position } from '../manifests/yaml-documents';

/** Kinds of mistakes, by the source of the rule. Stable: they are the rule ids of SARIF. */
export const RULES = {
  'yaml': 'The text is valid YAML and holds Kubernetes objects.',
  'synth': 'The app fails to synthesize: a construct reports the error.',
  'kind': 'apiVersion and kind exist.',
  'metadata': 'Names, namespaces, labels and annotations have the form that Kubernetes requires.',
  'duplicate': 'No object is defined twice.',
  'training-job': 'An MLTrainingJob satisfies the rules of the model, and its engine supports its features.',
  'accelerator': 'Pods request what GKE nodes have: GPUs, partitions, TPU slices, and the labels that select them.',
  'storage': 'Claims request what their class provides, and pods with a bucket set what its driver needs.',
  'mistake': 'It has no known problems at run time: commands, checkpoints, resources, times.',
  'reference': 'Referenced objects exist, in the right namespace, with the keys that are read.',
  'secret': 'No manifest contains a token, key or password.',
  'unknown-field': 'Every field is in the definition.',
  'schema': 'Every value has the type and the range of the definition.',
  'cel': 'The object satisfies the rules of its definition.',
} as const;

/** One of {@link RULES}. */
export type RuleId = keyof typeof RULES;

/** The object with the mistake. */
export interface DiagnosedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface Diagnostic {
  readonly rule: RuleId;
  /** Id with which the finding can be acknowledged. @default - it cannot be */
  readonly id?: string;
  /** The file as the user named it, `-` for standard input; for an app, the program. */
  readonly file: string;
  /** Absent for objects of an app, which are not in a file. */
  readonly position?: Position;
  /** Path of the construct, for apps. */
  readonly construct?: string;
  readonly object?: DiagnosedObject;
  /** Field, such as `spec.roles[1].image`. @default - the object as a whole */
  readonly path?: string;
  /** The value of the field. @default - none */
  readonly value?: unknown;
  /** The rule and the fix. */
  readonly message: string;
  /** Documentation of the rule, if it is from another project. @default - it is our own */
  readonly source?: string;
}

/** Something that could not be checked. */
export interface Unchecked {
  /** `definition`: only kind and metadata were checked, because there is no definition. `file`: not checked, because it is not an object. */
  readonly what: 'definition' | 'file' | 'rule' | 'rules';
  readonly file: string;
  readonly object?: DiagnosedObject;
  readonly path?: string;
  readonly message: string;
}

export interface ValidationResult {
  readonly diagnostics: readonly Diagnostic[];
  /** Warnings, which do not change the exit code. */
  readonly warnings: readonly Diagnostic[];
  readonly unchecked: readonly Unchecked[];
  /** Number of checked objects. */
  readonly objects: number;
}

/** `Job ml/train: spec.replicas: MESSAGE`. */
export function uncheckedText({ object, path, message }: Unchecked): string {
  return `${object === undefined ? '' : `${describeObject(object)}: `}${path === undefined ? '' : `${path}: `}${message}`;
}

/** `Job ml/train`. */
export function describeObject({ kind, namespace, name }: DiagnosedObject): string {
  return [kind ?? 'an object', [namespace, name].filter((part) => part !== undefined).join('/')].filter((part) => part !== '').join(' ');
}
