/** Cost by team and by job, with the assumptions. */
import { State, Table } from '../parts';
import { ViewPage } from './view-page';
import { jobAddress } from '../words';
import type { UiCost, UiCosts } from '../../cli/ui/costs';
import type { UiSession } from '../../cli/ui/protocol';

export function CostsPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  return <ViewPage<UiCosts> title="Cost" view="costs" query={query} session={session}>{(data) => <Costs data={data} />}</ViewPage>;
}

function Costs({ data: { isPriced, currency, teams, jobs, assumptions, missing } }: { readonly data: UiCosts }) {
  const prices = isPriced ? [`${currency} an hour`, `${currency} so far`] : [];
  const amounts = ({ perHour = '-', soFar = '-' }: UiCost) => (isPriced ? <><td>{perHour}</td><td>{soFar}</td></> : null);
  return (
    <>
      {isPriced ? null : <p class="note">There is no price table, so only hours are shown. Prices differ between regions and contracts. An administrator can add a table (--prices, as for trainyard cost).</p>}
      {teams.length === 0 ? <p class="empty">There are no jobs here.</p> : (
        <>
          <Table label="Teams" head={['Team', 'Running', 'Jobs and services', 'Devices now', 'Device hours', ...prices]}>
            {teams.map((team) => (
              <tr key={team.namespace}>
                <td><a href={`#/costs?${new URLSearchParams({ namespace: team.namespace }).toString()}`}>{team.namespace}</a></td>
                <td>{team.running}</td><td>{team.jobs}</td><td class="why">{team.devices}</td><td>{team.deviceHours}</td>{amounts(team)}
              </tr>
            ))}
          </Table>
          <h2>Jobs and services</h2>
          <Table label="Jobs and services" head={['Name', 'Namespace', 'State', 'Devices', 'Hours', 'Device hours', ...prices]}>
            {jobs.map((job) => (
              <tr key={`${job.namespace} ${job.kind} ${job.name}`}>
                <td><a href={jobAddress(job)}>{job.name}</a></td><td>{job.namespace}</td><td><State state={job.state} phase={job.phase} /></td>
                <td>{job.devices}</td><td>{job.hours}</td><td>{job.deviceHours}</td>{amounts(job)}
              </tr>
            ))}
          </Table>
        </>
      )}
      {missing.length === 0 ? null : <section><h2>Missing prices</h2><ul>{missing.map((line) => <li key={line} class="problem">{line}</li>)}</ul></section>}
      <section><h2>Assumptions</h2><ul>{assumptions.map((line) => <li key={line}>{line}</li>)}</ul></section>
    </>
  );
}
