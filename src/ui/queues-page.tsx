/** Queues of Kueue: quotas and their use, and waiting workloads with the reason. */
import { useNow } from './live';
import { Table } from './parts';
import { ViewPage } from './views/view-page';
import { age } from './words';
import type { UiQueue, UiQueues, UiQuota, UiSession, UiWaiting } from '../cli/ui/protocol';

export function QueuesPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  const now = useNow();
  return (
    <ViewPage<UiQueues> title="Queues" view="queues" query={query} session={session}>
      {({ waiting, localQueues, clusterQueues }) => (
        <>
          {clusterQueues.length + localQueues.length === 0 ? <p class="empty">There are no queues here.</p> : null}
          <Waiting rows={waiting} now={now} />
          {localQueues.length === 0 ? null : <><h2>Local queues</h2><LocalQueues queues={localQueues} /></>}
          {clusterQueues.map((queue) => <Quotas key={queue.name} queue={queue} />)}
        </>
      )}
    </ViewPage>
  );
}

function Waiting({ rows, now }: { readonly rows: readonly UiWaiting[]; readonly now: number }) {
  return rows.length === 0 ? null : (
    <section>
      <h2>Waiting</h2>
      <Table label="Waiting" head={['Job', 'Namespace', 'Queue', 'For', 'Why']}>
        {rows.map(({ namespace, job, queue, since, why }) => (
          <tr key={`${namespace} ${job}`}><td>{job}</td><td>{namespace}</td><td>{queue}</td><td>{age(since, now)}</td><td class="why">{why}</td></tr>
        ))}
      </Table>
    </section>
  );
}

function LocalQueues({ queues }: { readonly queues: readonly UiQueue[] }) {
  return (
    <Table label="Local queues" head={['Name', 'Namespace', 'Cluster queue', 'Waiting', 'Admitted', 'Problem']}>
      {queues.map((queue) => (
        <tr key={`${queue.namespace} ${queue.name}`}>
          <td>{queue.name}</td><td>{queue.namespace}</td><td>{queue.parent}</td><td>{queue.waiting}</td><td>{queue.admitted}</td><td class="why">{queue.problem}</td>
        </tr>
      ))}
    </Table>
  );
}

/** A ClusterQueue. */
function Quotas({ queue: { name, parent, waiting, admitted, problem, quotas } }: { readonly queue: UiQueue }) {
  return (
    <section>
      <h2>{name}</h2>
      <p>{waiting} waiting, {admitted} admitted{parent === undefined ? '' : `, in the cohort ${parent}`}{problem === undefined ? null : <span class="problem">. {problem}</span>}</p>
      <Table label={`Quota of ${name}`} head={['Resource', 'Flavor', 'Used', 'Quota', 'Borrowed', 'Use']}>
        {quotas.map((quota) => <Quota key={`${quota.flavor} ${quota.resource}`} quota={quota} />)}
      </Table>
    </section>
  );
}

function Quota({ quota: { resource, flavor, used, nominal, borrowed, borrowingLimit, percentage } }: { readonly quota: UiQuota }) {
  return (
    <tr>
      <td>{resource}</td><td>{flavor}</td><td>{used}</td><td>{nominal}</td>
      <td>{borrowed}{borrowingLimit === undefined ? null : <small> of at most {borrowingLimit}</small>}</td>
      <td><progress max={100} value={Math.min(100, percentage)} aria-label={`Use of ${resource} of ${flavor}`} /> {percentage} %</td>
    </tr>
  );
}
