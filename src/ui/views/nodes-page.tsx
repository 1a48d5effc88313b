/** Nodes by accelerator: their use, their jobs, and which of them have problems or are avoided. */
import { Table } from '../parts';
import { ViewPage } from './view-page';
import { jobAddress } from '../words';
import type { UiNode, UiNodeGroup, UiNodes, UiUse } from '../../cli/ui/nodes';
import type { UiSession } from '../../cli/ui/protocol';

/** Maximum number of named jobs of a node. */
const MAX_JOBS = 5;

/** Maximum number of nodes in the table of a group. */
const MAX_NODES = 200;

export function NodesPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  return (
    <ViewPage<UiNodes> title="Nodes" view="nodes" query={query} session={session}
      note="Nodes belong to the whole cluster. The namespace is used only if you have no permission to list the pods of all namespaces.">
      {({ groups, unread }) => (groups.length === 0 && unread.length === 0 ? <p class="empty">There are no nodes.</p>
        : groups.map((group) => <Group key={group.accelerator ?? ''} group={group} />))}
    </ViewPage>
  );
}

function Group({ group: { accelerator = 'Without accelerators', uses, nodes } }: { readonly group: UiNodeGroup }) {
  const ready = nodes.filter(({ state }) => state === 'Ready').length;
  return (
    <section>
      <h2>{accelerator}</h2>
      <p>{ready} of {nodes.length} ready. {uses.map(({ resource, requested, allocatable }) => `${requested} of ${allocatable} ${resource}`).join(', ')} requested.</p>
      <Table label={`Nodes: ${accelerator}`} head={['Node', 'State', 'Requested', 'Jobs', 'Problems']}>
        {nodes.slice(0, MAX_NODES).map((node) => <Row key={node.name} node={node} />)}
      </Table>
      {nodes.length > MAX_NODES ? <p class="note">{nodes.length - MAX_NODES} more.</p> : null}
    </section>
  );
}

function Row({ node: { name, state, uses, jobs, otherPods, problems } }: { readonly node: UiNode }) {
  return (
    <tr>
      <td>{name}</td>
      <td><span class={`state ${state === 'Ready' ? 'running' : state === 'Cordoned' ? 'waiting' : 'failed'}`}>{state}</span></td>
      <td>{uses.map((use) => <Use key={use.resource} node={name} use={use} />)}</td>
      <td class="why">
        {jobs.slice(0, MAX_JOBS).map((job, index) => (
          <span key={`${job.namespace} ${job.kind} ${job.name}`}>{index === 0 ? '' : ', '}<a href={jobAddress(job)}>{job.name}</a>{job.pods > 1 ? ` (${job.pods} pods)` : ''}</span>
        ))}
        {jobs.length > MAX_JOBS ? ` and ${jobs.length - MAX_JOBS} more` : ''}
        {otherPods > 0 ? <small> {otherPods} other {otherPods === 1 ? 'pod' : 'pods'}</small> : null}
      </td>
      <td class="why">{problems.map((problem) => <div key={problem} class="problem">{problem}</div>)}</td>
    </tr>
  );
}

function Use({ node, use: { resource, requested, allocatable, percentage } }: { readonly node: string; readonly use: UiUse }) {
  return (
    <div><progress max={100} value={Math.min(100, percentage)} aria-label={`${resource} of ${node}`} /> {requested} of {allocatable} <small>{resource}</small></div>
  );
}
