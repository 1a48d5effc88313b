/** Queues of Kueue: quota and its use, what waits and why. */
import { setQuery, useLive, useNow } from './live';
import { age } from './words';
import type { UiQueue, UiQueues, UiQuota, UiSession, UiWaiting } from '../cli/ui/protocol';

/** @see the top of this file */
export function QueuesPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  const namespace = query.get('namespace') ?? session.namespace;
  const { data, problem } = useLive<UiQueues>(`api/queues${namespace === '*' ? '' : `?namespace=${encodeURIComponent(namespace)}`}`, 'queues');
  const now = useNow();
  const isEmpty = data !== undefined && data.clusterQueues.length + data.localQueues.length === 0;
  return (
    <>
      <h1>Queues</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>Namespace <input value={namespace === '*' ? '' : namespace} placeholder="all"
          onChange={({ currentTarget }) => setQuery('/queues', new URLSearchParams({ namespace: currentTarget.value === '' ? '*' : currentTarget.value }))} /></label>
      </form>
      <p class="live" role="status">{problem !== undefined ? <span class="problem">{problem}</span> : data === undefined ? 'Reading ...' : 'live'}</p>
      {(data?.unread ?? []).map((sentence) => <p class="note" key={sentence}>{sentence}</p>)}
      {isEmpty ? <p class="empty">There are no queues here.</p> : null}
      {data === undefined ? null : <Waiting rows={data.waiting} now={now} />}
      {data === undefined || data.localQueues.length === 0 ? null : <><h2>Local queues</h2><Queues queues={data.localQueues} parent="Cluster queue" /></>}
      {(data?.clusterQueues ?? []).map((queue) => <Quotas key={queue.name} queue={queue} />)}
    </>
  );
}

function Waiting({ rows, now }: { readonly rows: readonly UiWaiting[]; readonly now: number }) {
  return rows.length === 0 ? null : (
    <section>
      <h2>Waiting</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Waiting">
        <table>
          <thead><tr><th scope="col">Job</th><th scope="col">Namespace</th><th scope="col">Queue</th><th scope="col">For</th><th scope="col">Why</th></tr></thead>
          <tbody>{rows.map(({ namespace, job, queue, since, why }) => (
            <tr key={`${namespace} ${job}`}><td>{job}</td><td>{namespace}</td><td>{queue}</td><td>{age(since, now)}</td><td class="why">{why}</td></tr>
          ))}</tbody>
        </table>
      </div>
    </section>
  );
}

function Queues({ queues, parent }: { readonly queues: readonly UiQueue[]; readonly parent: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Local queues">
      <table>
        <thead><tr><th scope="col">Name</th><th scope="col">Namespace</th><th scope="col">{parent}</th><th scope="col">Waiting</th><th scope="col">Admitted</th><th scope="col">Problem</th></tr></thead>
        <tbody>{queues.map((queue) => (
          <tr key={`${queue.namespace} ${queue.name}`}>
            <td>{queue.name}</td><td>{queue.namespace}</td><td>{queue.parent}</td><td>{queue.waiting}</td><td>{queue.admitted}</td><td class="why">{queue.problem}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

/** A ClusterQueue. */
function Quotas({ queue: { name, parent, waiting, admitted, problem, quotas } }: { readonly queue: UiQueue }) {
  return (
    <section>
      <h2>{name}</h2>
      <p>{waiting} waiting, {admitted} admitted{parent === undefined ? '' : `, in the cohort ${parent}`}{problem === undefined ? null : <span class="problem">. {problem}</span>}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Quota of ${name}`}>
        <table>
          <thead><tr><th scope="col">Resource</th><th scope="col">Flavor</th><th scope="col">Used</th><th scope="col">Quota</th><th scope="col">Borrowed</th><th scope="col">Use</th></tr></thead>
          <tbody>{quotas.map((quota) => <Quota key={`${quota.flavor} ${quota.resource}`} quota={quota} />)}</tbody>
        </table>
      </div>
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
