/** The frame of all pages. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ComparePage } from './history/compare-page';
import { CostsPage } from './views/costs-page';
import { HistoryPage } from './history/history-page';
import { HistoryRunPage } from './history/history-run-page';
import { JobPage } from './job-page';
import { JobsPage } from './jobs-page';
import { NodesPage } from './views/nodes-page';
import { QueuesPage } from './queues-page';
import { SearchesPage } from './views/searches-page';
import { REFUSED, routeOf, setQuery, useNamespaceOfParent, useRoute } from './live';
import { SignIn, signOut } from './sign-in';
import type { UiAnswer, UiSession } from '../cli/ui/protocol';

/** Pages of a namespace, by the first part of their addresses. Other addresses show the list of jobs. */
const PAGES = {
  '': { title: 'Jobs', Page: JobsPage },
  'queues': { title: 'Queues', Page: QueuesPage },
  'nodes': { title: 'Nodes', Page: NodesPage },
  'searches': { title: 'Searches', Page: SearchesPage },
  'costs': { title: 'Cost', Page: CostsPage },
  'history': { title: 'History', Page: HistoryPage },
};

function pageNamed(name: string | undefined): keyof typeof PAGES {
  return name !== undefined && Object.hasOwn(PAGES, name) ? name as keyof typeof PAGES : '';
}

/** The page at the current address. */
export function App() {
  const [path, query] = useRoute();
  const [session, setSession] = useState<UiSession | undefined>();
  const [refusal, setRefusal] = useState<UiAnswer | undefined>();
  const load = useCallback(async () => {
    const response = await fetch('api/session');
    if (response.ok) {
      const received = await response.json() as UiSession;
      // Like the addresses of Kubeflow's pages.
      setSession({ ...received, namespace: new URLSearchParams(location.search).get('ns') ?? received.namespace });
    }
    setRefusal(response.ok ? undefined : await response.json() as UiAnswer);
  }, []);
  useEffect(() => {
    const loadAgain = () => void load().catch(() => setRefusal({ message: 'The server does not answer. Reload the page.' }));
    loadAgain();
    addEventListener(REFUSED, loadAgain);
    return () => removeEventListener(REFUSED, loadAgain);
  }, []);
  useNamespaceOfParent(session?.frameAncestors, (namespace) => choose(namespace, session!));
  if (refusal !== undefined) {
    return refusal.signIn ? <SignIn why={refusal.message} onSignedIn={load} /> : <p class="empty" role="alert">{refusal.message}</p>;
  }
  if (session === undefined) {
    return <p class="empty">Connecting ...</p>;
  }
  const [, page, namespace, kind, name] = path.split('/').map(decodeURIComponent);
  const { Page } = PAGES[pageNamed(page)];
  return (
    <>
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <a class="brand" href="#/">Trainyard</a>
        <nav aria-label="Pages">{Object.entries(PAGES).filter(([place]) => place !== 'history' || session.hasHistory).map(([place, { title }]) => (
          <a key={place} href={`#/${place}`} aria-current={page !== 'job' && pageNamed(page) === place ? 'page' : undefined}>{title}</a>
        ))}</nav>
        <span class="cluster" title={session.origin}>{session.cluster}</span>
        {session.canChange ? null : <span class="tag" title={session.howToChange}>read-only</span>}
        {session.user === undefined ? null : <span class="user">{session.user}</span>}
        {session.canSignOut ? <button type="button" onClick={() => void signOut().then(load)}>Sign out</button> : null}
      </header>
      <main id="content" tabIndex={-1}>
        {page === 'job' ? <JobPage namespace={namespace} job={`${kind}/${name}`} session={session} />
          : page === 'history' ? <History place={[namespace, kind, name]} query={query} session={session} /> : <Page query={query} session={session} />}
      </main>
    </>
  );
}

/** `/history`, `/history/run/NAMESPACE/UID` and `/history/compare`. */
function History({ place: [page, namespace, uid], query, session }: {
  readonly place: readonly string[]; readonly query: URLSearchParams; readonly session: UiSession;
}) {
  return page === 'run' ? <HistoryRunPage namespace={namespace} uid={uid} session={session} />
    : page === 'compare' ? <ComparePage query={query} /> : <HistoryPage query={query} session={session} />;
}

/** Shows the jobs of a namespace, unless the page already shows that namespace. */
function choose(namespace: string, session: UiSession): void {
  const [path, query] = routeOf(location.hash);
  const [, page, of] = path.split('/').map(decodeURIComponent);
  if (namespace !== (page === 'job' ? of : query.get('namespace') ?? session.namespace)) {
    const filters = page === 'job' ? {} : Object.fromEntries(query);
    setQuery(`/${pageNamed(page)}`, new URLSearchParams({ ...filters, namespace }));
  }
}
