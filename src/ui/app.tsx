/** The frame of all pages. */
import { useEffect, useState } from 'preact/hooks';
import { JobPage } from './job-page';
import { JobsPage } from './jobs-page';
import { useRoute } from './live';
import type { UiSession } from '../cli/ui/protocol';

/** The page that the address names. */
export function App() {
  const [path, query] = useRoute();
  const [session, setSession] = useState<UiSession | undefined>();
  useEffect(() => {
    void fetch('/api/session').then(async (response) => setSession(await response.json() as UiSession));
  }, []);
  if (session === undefined) {
    return <p class="empty">Connecting ...</p>;
  }
  const [, page, namespace, kind, name] = path.split('/').map(decodeURIComponent);
  return (
    <>
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <a class="brand" href="#/">Trainyard</a>
        <span class="cluster" title={session.origin}>{session.cluster}</span>
        {session.canChange ? null : <span class="tag" title="Start it with --allow-changes to change jobs">read-only</span>}
      </header>
      <main id="content" tabIndex={-1}>
        {page === 'job' ? <JobPage namespace={namespace} job={`${kind}/${name}`} session={session} /> : <JobsPage query={query} session={session} />}
      </main>
    </>
  );
}
