/** The history with the permissions of a user: those for existing jobs, pods, events and logs apply to deleted ones too. */
import { stringify } from 'yaml';
import { exportOf } from './export';
import type { HistoryList, HistoryQuery, HistoryRun } from './history';
import { RECORDED_KIND } from './observe';
import type { RecorderClient } from './recorder-client';
import type { UiAnswer, UiJob } from '../protocol';
import { mayDo } from '../rights';
import { Refusal, type DownloadedFile } from '../server/answers';
import { CliError } from '../../cli-error';
import { runAgain } from '../../jobs/change/rerun';
import type { AnyObject } from '../../jobs/objects';
import { Reader } from '../../jobs/reader';
import { record, textIn, texts } from '../../../model/json-parts';
import type { KubeClient } from '../../../operator/runtime/kube-client';
import { CONFIG_MAPS } from '../../../operator/runtime/resource-kind';

/** Maximum number of jobs to compare. */
const MAX_COMPARED = 4;

/** A job of the history, with the data of its page. */
export interface UiHistoryRun extends HistoryRun {
  readonly job: UiJob;
}

export class UserHistory {
  public constructor(private readonly client: KubeClient, private readonly recorder: RecorderClient, private readonly canChange: boolean) {}

  /** @throws Refusal if the user may not list jobs in the namespace */
  public async list(query: HistoryQuery): Promise<HistoryList> {
    if (!await this.may('list', query.namespace ?? '')) {
      throw new Refusal(403, `You do not have permission to list jobs ${query.namespace === undefined ? 'in all namespaces. Choose a namespace' : `in the namespace ${query.namespace}. Choose another one`}.`);
    }
    return this.recorder.list(query);
  }

  /** @throws Refusal if the user may not read jobs in the namespace, or the job does not exist */
  public async run(namespace: string, uid: string): Promise<UiHistoryRun> {
    const of = namespace === '' ? ' ' : namespace;
    const [jobs, pods, events, logs, create] = await Promise.all([
      this.may('get', of), this.may('list', of, 'pods'), this.may('list', of, 'events'), this.may('get', of, 'pods', 'log'),
      this.canChange ? this.may('create', of) : false,
    ]);
    if (!jobs) {
      throw new Refusal(403, `You do not have permission to read jobs in the namespace ${namespace}.`);
    }
    const found = await this.recorder.run(namespace, uid);
    const { row, detail, events: happened } = found;
    const { report } = detail;
    const seesAll = pods && events && logs;
    const shown = {
      ...report,
      replicas: pods ? report.replicas : [],
      timeline: events ? happened : [],
      // Its evidence comes from pods, events and logs.
      diagnosis: seesAll ? report.diagnosis : { ...report.diagnosis, summary: report.message ?? '', causes: [], notes: ['You do not have permission to read pods, events and logs: their information is missing here.'] },
    };
    return {
      ...found, events: shown.timeline,
      detail: { ...detail, report: shown, logs: logs ? detail.logs : [] },
      job: { report: shown, yaml: stringify(detail.object), canSuspend: false, canDelete: false, canRerun: create && row.deletedAt !== undefined },
    };
  }

  /** @param ids `NAMESPACE/UID` */
  public async compare(ids: readonly string[]): Promise<readonly UiHistoryRun[]> {
    if (ids.length < 2 || ids.length > MAX_COMPARED) {
      throw new Refusal(400, `Choose 2 to ${MAX_COMPARED} jobs to compare.`);
    }
    return Promise.all(ids.map(async (id) => {
      const [namespace, uid = ''] = id.split('/');
      return this.run(namespace, uid);
    }));
  }

  /** @param format `json`, `csv` or `openmetrics` */
  public async export(namespace: string, uid: string, format: string): Promise<DownloadedFile> {
    return exportOf(await this.run(namespace, uid), format);
  }

  /** Creates a job from a deleted one, with the permissions of the user. @throws CliError if a value was redacted, or its code no longer exists */
  public async rerun(namespace: string, uid: string): Promise<UiAnswer> {
    const { detail: { object, redacted } } = await this.run(namespace, uid);
    const job = object as AnyObject;
    const name = job.metadata?.name ?? '';
    if (redacted.length > 0) {
      throw new CliError(`${name} cannot run again from its history: ${redacted.join(', ')} looked like a secret and was not kept. Submit it from its source, with the value in a Secret.`);
    }
    const reader = new Reader(this.client);
    const { configMap, configMaps } = record(record(object.spec).code);
    for (const code of [textIn(configMap) ?? [], texts(configMaps)].flat()) {
      if (await reader.get(CONFIG_MAPS, namespace, code) === undefined) {
        throw new CliError(`${name} cannot run again from its history: its code was in the ConfigMap ${code}, which is gone or cannot be read. Submit it from its source.`);
      }
    }
    const { sentence } = await runAgain({ job, kind: RECORDED_KIND, client: this.client, reader, namespace, ref: { namespace, name } });
    return { message: sentence };
  }

  private async may(verb: string, namespace: string, resource?: string, subresource?: string): Promise<boolean> {
    const { group, plural } = RECORDED_KIND;
    return mayDo(this.client, { verb, namespace, ...(resource === undefined ? { group, resource: plural } : { group: '', resource, subresource }) });
  }
}
