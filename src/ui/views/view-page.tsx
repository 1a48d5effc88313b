/** Common parts of the pages of a namespace: title, filter, state of the data, and what could not be read. */
import type { ComponentChildren } from 'preact';
import { setQuery, useView } from '../live';
import { Filters, Notes, Status } from '../parts';
import type { UiSession } from '../../cli/ui/protocol';

/** @param view the last part of its address, in the pages and on the server */
export function ViewPage<T extends { readonly unread: readonly string[] }>({ title, view, query, session, note, children }: {
  readonly title: string; readonly view: string; readonly query: URLSearchParams; readonly session: UiSession;
  readonly note?: string;
  readonly children: (data: T) => ComponentChildren;
}) {
  const namespace = query.get('namespace') ?? session.namespace;
  const { data, problem } = useView<T>(view, namespace);
  return (
    <>
      <h1>{title}</h1>
      <Filters namespace={namespace} onNamespace={(chosen) => setQuery(`/${view}`, new URLSearchParams({ namespace: chosen }))} />
      <Status problem={problem}>{data === undefined ? undefined : 'live'}</Status>
      {note === undefined ? null : <p class="note">{note}</p>}
      <Notes notes={data?.unread} />
      {data === undefined ? null : children(data)}
    </>
  );
}
