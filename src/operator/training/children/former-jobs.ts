/**
 * Jobs that are gone, as they were when last seen, until what they have left behind is removed: their specs say which objects there are to be looked
 * for, of kinds that no cache holds. In memory alone: after a restart of the operator everything that there may be is looked for.
 */
import { needsMpiFiles } from '../../../manifests/job/mpi-files';
import { networkPolicyName } from '../../../manifests/job/network-policy';
import { needsTools } from '../../../manifests/tools/tools-config-map';
import { mpiConfigMapName, toolsConfigMapName } from '../../../model/names';
import { resolveRunPolicy } from '../../../model/training-job/run-policy';
import type { ResolvedRunPolicy } from '../../../model/training-job/run-policy';
import { hasNetworkPolicy } from '../../../model/training-job/security';
import { gangObjectsOf } from './children';
import { isParent } from '../plan/parent-job';
import { resolveOnce } from '../plan/resolve-once';
import type { TrainingJobObject } from '../resources';
import { splitKey } from '../../runtime/kube-object';
import { CONFIG_MAPS, NETWORK_POLICIES, type ResourceKind, type ResourceRef } from '../../runtime/resource-kind';
import type { Store } from '../../runtime/watch/store';

/** The rules for nodes of a job whose spec is not known. */
const DEFAULT_POLICY = resolveRunPolicy({});

/** Most jobs that are remembered; a standby removes nothing and forgets the oldest. */
const MAX_JOBS = 1024;

/** Rules for lost nodes. */
export type NodeLossPolicy = Pick<ResolvedRunPolicy, 'nodeLoss'>;

/** An object of a kind that no cache holds. Keys of MPI are none: the operator may neither read nor delete Secrets. */
export interface Companion {
  readonly kind: ResourceKind;
  readonly ref: ResourceRef;
}

/** See the top of this file. */
export class FormerJobs {
  private readonly jobs = new Map<string, TrainingJobObject>();
  /** Rules for lost nodes by uid, of jobs with rules of their own. Not forgotten with the job: its pods may hang for long. */
  private readonly nodeLoss = new Map<string, NodeLossPolicy>();

  /** @param jobs the cache from which jobs vanish */
  public constructor(jobs: Store<TrainingJobObject>) {
    jobs.onChange(({ key, previous, current }) => {
      if (previous !== undefined && previous.metadata?.uid !== current?.metadata?.uid) {
        this.noteNodeLoss(previous);
        this.jobs.delete(key);
        this.jobs.set(key, previous);
        if (this.jobs.size > MAX_JOBS) {
          this.jobs.delete(this.jobs.keys().next().value!);
        }
      }
    });
  }

  /** The last job of this name that is gone. */
  public of(key: string): TrainingJobObject | undefined {
    return this.jobs.get(key);
  }

  /** What the job did about lost nodes; the defaults where this operator has not seen it, or it had no rules of its own. */
  public nodeLossOf(uid: string | undefined): NodeLossPolicy {
    return this.nodeLoss.get(uid ?? '') ?? DEFAULT_POLICY;
  }

  private noteNodeLoss(job: TrainingJobObject): void {
    if (job.metadata?.uid !== undefined && job.spec.runPolicy?.nodeLoss !== undefined) {
      this.nodeLoss.set(job.metadata.uid, nodeLossPolicy(job));
      if (this.nodeLoss.size > MAX_JOBS) {
        this.nodeLoss.delete(this.nodeLoss.keys().next().value!);
      }
    }
  }

  /** Nothing is left of it. */
  public forget(key: string): void {
    this.jobs.delete(key);
  }
}

/** What a job does about lost nodes. */
export function nodeLossPolicy({ spec }: TrainingJobObject): NodeLossPolicy {
  return { nodeLoss: resolveRunPolicy(spec.runPolicy ?? {}).nodeLoss };
}

/** Objects of other kinds than pods and services that the job may have had; none of a job that was never valid. */
export function companionsOf({ metadata, spec }: TrainingJobObject): Companion[] {
  const { namespace, name } = { ...metadata, name: metadata?.name ?? '' };
  const { resolved } = resolveOnce(name, spec);
  if (resolved === undefined || isParent(spec)) {
    return [];
  }
  const gang = spec.scheduling?.gang;
  return [
    ...(gang ? gangObjectsOf(name, namespace, new Set([gang.scheduler])) : []),
    ...(needsMpiFiles(resolved) ? [configMap(namespace, mpiConfigMapName(name))] : []),
    ...(needsTools(resolved) ? [configMap(namespace, toolsConfigMapName(name))] : []),
    ...(hasNetworkPolicy(spec.security) ? [networkPolicy(namespace, name)] : []),
  ];
}

/**
 * Everything that a job of this name may have had, whatever it was.
 * @param gangs gang schedulers that its pods were made for
 */
export function possibleCompanions(key: string, gangs: ReadonlySet<string>): Companion[] {
  const { namespace, name } = splitKey(key);
  return [
    ...gangObjectsOf(name, namespace, gangs),
    ...[mpiConfigMapName(name), toolsConfigMapName(name)].map((file) => configMap(namespace, file)),
    networkPolicy(namespace, name),
  ];
}

function configMap(namespace: string | undefined, name: string): Companion {
  return { kind: CONFIG_MAPS, ref: { namespace, name } };
}

function networkPolicy(namespace: string | undefined, job: string): Companion {
  return { kind: NETWORK_POLICIES, ref: { namespace, name: networkPolicyName(job) } };
}
