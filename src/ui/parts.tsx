/** Parts that several pages have. */
import type { ComponentChildren } from 'preact';

export function State({ state, phase }: { readonly state: string; readonly phase: string }) {
  return <span class={`state ${state.toLowerCase()}`}>{phase}</span>;
}

/** A bar, and its number for screen readers. */
export function Progress({ percentage }: { readonly percentage?: number }) {
  return percentage === undefined ? null : (
    <span class="progress">
      <progress max={100} value={percentage} aria-label="Progress" /> {percentage} %
    </span>
  );
}

/** The state of the data: a problem, or `children`, which are absent until there is data. */
export function Status({ problem, children }: { readonly problem?: string; readonly children?: ComponentChildren }) {
  return <p class="live" role="status">{problem === undefined ? children ?? 'Loading ...' : <span class="problem">{problem}</span>}</p>;
}

/** Sentences, such as about what could not be read. */
export function Notes({ notes = [] }: { readonly notes?: readonly string[] }) {
  return notes.map((note) => <p class="note" key={note}>{note}</p>);
}

/** A table that scrolls on a narrow screen. */
export function Table({ label, head, children }: {
  readonly label: string; readonly head: readonly ComponentChildren[]; readonly children: ComponentChildren;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead><tr>{head.map((title, index) => <th key={index} scope="col">{title}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The filters of a page, the namespace first. @param namespace `*` for all namespaces */
export function Filters({ namespace, onNamespace, children }: {
  readonly namespace: string; readonly onNamespace: (namespace: string) => void; readonly children?: ComponentChildren;
}) {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>Namespace <input value={namespace === '*' ? '' : namespace} placeholder="all" onChange={({ currentTarget }) => onNamespace(currentTarget.value || '*')} /></label>
      {children}
    </form>
  );
}

/** A filter with a list of values. */
export function Choice({ label, value, values, onChange }: {
  readonly label: string; readonly value: string; readonly values: readonly string[]; readonly onChange: (value: string) => void;
}) {
  return values.length === 0 ? null : (
    <label>{label} <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">all</option>
      {values.map((one) => <option key={one} value={one}>{one}</option>)}
    </select></label>
  );
}
