/** Parts that several pages have. */

/** A state by its colour and its word. */
export function State({ state, phase }: { readonly state: string; readonly phase: string }) {
  return <span class={`state ${state.toLowerCase()}`}>{phase}</span>;
}

/** A bar, and its number for those who do not see it. */
export function Progress({ percentage }: { readonly percentage?: number }) {
  return percentage === undefined ? null : (
    <span class="progress">
      <progress max={100} value={percentage} aria-label="Progress" /> {percentage} %
    </span>
  );
}
