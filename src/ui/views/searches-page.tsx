/** Searches for hyperparameters: the best trial so far, and all trials as charts and as a table. */
import { useNow } from '../live';
import { State, Table } from '../parts';
import { SearchCharts } from './search-charts';
import { ViewPage } from './view-page';
import { age, jobAddress } from '../words';
import type { UiSession } from '../../cli/ui/protocol';
import type { UiSearch, UiSearches, UiTrial } from '../../cli/ui/searches';

/** Maximum number of trials in the table; older ones are left out. */
const MAX_ROWS = 110;

const WORDS: { readonly [state in UiTrial['state']]: string } = { running: 'Running', succeeded: 'Completed', failed: 'Failed', stopped: 'Stopped early' };

export function SearchesPage({ query, session }: { readonly query: URLSearchParams; readonly session: UiSession }) {
  const now = useNow();
  const named = query.get('search');
  return (
    <ViewPage<UiSearches> title="Searches" view="searches" query={query} session={session}>
      {({ searches }) => {
        const chosen = searches.find((search) => keyOf(search) === named) ?? searches[0];
        return chosen === undefined ? <p class="empty">There are no searches here: MLTrainingJobs with autoTuning, or Experiments of Katib.</p> : (
          <>
            <Table label="Searches" head={['Name', 'Namespace', 'Kind', 'State', 'Trials', 'Best', 'Age']}>
              {searches.map((search) => (
                <tr key={keyOf(search)} aria-current={search === chosen}>
                  <td><a href={addressOf(search, query)}>{search.name}</a></td><td>{search.namespace}</td><td>{search.kind}</td>
                  <td><State state={search.state} phase={search.phase} /></td><td>{begun(search)}{search.maxTrials === undefined ? '' : ` of ${search.maxTrials}`}</td>
                  <td>{search.best === undefined ? '' : `${search.objective} ${short(search.best.value)}`}</td><td>{age(search.createdAt, now)}</td>
                </tr>
              ))}
            </Table>
            <Search key={keyOf(chosen)} search={chosen} />
          </>
        );
      }}
    </ViewPage>
  );
}

function keyOf({ namespace, kind, name }: UiSearch): string {
  return `${namespace}/${kind}/${name}`;
}

function addressOf(search: UiSearch, query: URLSearchParams): string {
  return `#/searches?${new URLSearchParams({ ...Object.fromEntries(query), search: keyOf(search) }).toString()}`;
}

function begun({ counts: { running, succeeded, failed, stopped } }: UiSearch): number {
  return running + succeeded + failed + stopped;
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function Search({ search }: { readonly search: UiSearch }) {
  const { name, objective, goal, counts, best, trials, parameters } = search;
  return (
    <section>
      <h2><a href={jobAddress(search)}>{name}</a></h2>
      <p>
        {goal === 'maximize' ? 'The highest' : 'The lowest'} {objective} is the best. {counts.running} running, {counts.succeeded} completed, {counts.stopped} stopped early, {counts.failed} failed.
        {best === undefined ? null : ` Best: trial ${best.number} with ${short(best.value)} (${Object.entries(best.values).map(([parameter, value]) => `${parameter}=${value}`).join(', ')}).`}
      </p>
      <SearchCharts search={search} />
      <Table label={`Trials of ${name}`} head={['Trial', 'State', objective, ...parameters.map((parameter) => parameter.name)]}>
        {[...trials].reverse().slice(0, MAX_ROWS).map((trial) => (
          <tr key={trial.number} aria-current={trial.number === best?.number}>
            <td>{trial.job === undefined ? trial.number : <a href={jobAddress({ ...search, name: trial.job })}>{trial.number}</a>}</td>
            <td><span class={`state ${trial.state === 'stopped' ? 'waiting' : trial.state}`}>{WORDS[trial.state]}</span></td>
            <td>{trial.value === undefined ? '' : short(trial.value)}{trial.number === best?.number ? <small> best</small> : null}</td>
            {parameters.map((parameter) => <td key={parameter.name}>{trial.values[parameter.name]}</td>)}
          </tr>
        ))}
      </Table>
      {trials.length < begun(search) ? <p class="note">{begun(search) - trials.length} earlier trials are no longer known.</p> : null}
    </section>
  );
}
