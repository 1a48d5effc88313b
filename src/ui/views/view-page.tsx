/** What pages of a namespace have in common: heading, filter, whether they are live, and what could not be read. */
import type { ComponentChildren } from 'preact';
import { setQuery, useLive } from '../live';
import type { UiSession } from '../../cli/ui/protocol';

/** See the top of this file. The name of the view is the last part of its address in the pages and on the server. */
export function ViewPage<T extends { readonly unread: readonly string[] }>({ title, view, query, session, note, children }: {
  readonly title: string; readonly view: string; readonly query: URLSearchParams; readonly session: UiSession;
  readonly note?: string;
  readonly children: (data: T) => ComponentChildren;
}) {
  const namespace = query.get('namespace') ?? session.namespace;
  const { data, problem } = useLive<T>(`api/${view}${namespace === '*' ? '' : `?namespace=${encodeURIComponent(namespace)}`}`, view);
  return (
    <>
      <h1>{title}</h1>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>Namespace <input value={namespace === '*' ? '' : namespace} placeholder="all"
          onChange={({ currentTarget }) => setQuery(`/${view}`, new URLSearchParams({ namespace: currentTarget.value === '' ? '*' : currentTarget.value }))} /></label>
      </form>
      <p class="live" role="status">{problem !== undefined ? <span class="problem">{problem}</span> : data === undefined ? 'Reading ...' : 'live'}</p>
      {note === undefined ? null : <p class="note">{note}</p>}
      {(data?.unread ?? []).map((sentence) => <p class="note" key={sentence}>{sentence}</p>)}
      {data === undefined ? null : children(data)}
    </>
  );
}

/** A table that scrolls by itself on a narrow screen. */
export function Table({ label, head, children }: { readonly label: string; readonly head: readonly string[]; readonly children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead><tr>{head.map((word) => <th key={word} scope="col">{word}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
