/** Live logs of the replicas, with a search. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { UiLogLine } from '../cli/ui/protocol';

/** Maximum number of lines; older ones are dropped. */
const MAX_LINES = 5_000;

/** New lines are drawn together after this time; milliseconds. */
const DRAW_MS = 100;

export function Logs({ query, rank, onAll }: { readonly query: string; readonly rank?: number; readonly onAll: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="logs" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Logs{rank === undefined ? '' : ` of rank ${rank}`}</summary>
      {isOpen ? <OpenLogs address={`api/logs?${query}${rank === undefined ? '' : `&rank=${rank}`}`} rank={rank} onAll={onAll} /> : null}
    </details>
  );
}

function OpenLogs({ address, rank, onAll }: { readonly address: string; readonly rank?: number; readonly onAll: () => void }) {
  const [lines, setLines] = useState<readonly UiLogLine[]>([]);
  const [status, setStatus] = useState('Loading ...');
  const [text, setText] = useState('');
  const [follows, setFollows] = useState(true);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    setLines([]);
    let waiting: UiLogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      const some = waiting;
      waiting = [];
      setLines((before) => [...before, ...some].slice(-MAX_LINES));
    };
    const source = new EventSource(address);
    source.onopen = () => {
      setLines([]);
      setStatus('Live');
    };
    source.addEventListener('line', ({ data }: MessageEvent<string>) => {
      waiting.push(JSON.parse(data) as UiLogLine);
      timer ??= setTimeout(draw, DRAW_MS);
    });
    source.addEventListener('end', () => {
      setStatus('The job has ended.');
      source.close();
    });
    source.addEventListener('problem', ({ data }: MessageEvent<string>) => setStatus((JSON.parse(data) as { readonly message: string }).message));
    source.onerror = () => setStatus('The connection is lost. Reconnecting ...');
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [address]);
  const shown = text === '' ? lines : lines.filter((line) => line.text.includes(text));
  useEffect(() => {
    if (follows) {
      end.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [shown.length, follows]);
  return (
    <>
      <div class="filters">
        <label>Search <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} /></label>
        <label><input type="checkbox" checked={follows} onChange={({ currentTarget }) => setFollows(currentTarget.checked)} /> Follow</label>
        {rank === undefined ? null : <button type="button" onClick={onAll}>All ranks</button>}
        <span role="status">{status}{text === '' ? '' : ` ${shown.length} of ${lines.length} lines`}</span>
      </div>
      <div class="log" tabIndex={0} role="log" aria-label="Log">
        <LogLines lines={shown} />
        <div ref={end} />
      </div>
    </>
  );
}

/** Lines, each with its replica. */
export function LogLines({ lines }: { readonly lines: readonly UiLogLine[] }) {
  return lines.map((line, index) => (
    <div key={index}><span class="who" title={line.time}>{line.rank === undefined ? line.replica : `[${line.rank}] ${line.replica}`}</span> {line.text}</div>
  ));
}
