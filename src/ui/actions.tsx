/** What can be done with a job, where the pages may change anything. */
import { useState } from 'preact/hooks';
import { ACTION_HEADER, type UiAction, type UiAnswer, type UiJob, type UiSession } from '../cli/ui/protocol';

interface Choice {
  readonly action: UiAction['action'];
  readonly label: string;
  readonly question: string;
}

/** Buttons for what the user may do, which ask before they do it. */
export function Actions({ job, namespace, data, session, run }: {
  readonly job: string; readonly namespace: string; readonly data: UiJob; readonly session: UiSession; readonly run?: string;
}) {
  const [asked, setAsked] = useState<Choice | undefined>();
  const [answer, setAnswer] = useState<string | undefined>();
  if (!session.canChange) {
    return null;
  }
  const { state, name } = data.report;
  const isOver = state === 'Succeeded' || state === 'Failed';
  const choices: readonly Choice[] = [
    ...(data.canSuspend && !isOver ? [state === 'Suspended'
      ? { action: 'resume', label: 'Resume', question: `Start ${name} again?` } as const
      : { action: 'suspend', label: 'Suspend', question: `Stop the pods of ${name}, and keep the job?` } as const] : []),
    ...(data.canRerun ? [{ action: 'rerun', label: 'Run again', question: `Create a new job from ${name}?` } as const] : []),
    ...(data.canDelete ? [{ action: 'delete', label: 'Delete', question: `Delete ${name}, with its pods?` } as const] : []),
  ];
  const act = async ({ action }: Choice) => {
    setAsked(undefined);
    setAnswer('Working ...');
    const body = JSON.stringify({ action, job, namespace, run } satisfies UiAction);
    const response = await fetch('api/action', { method: 'POST', headers: { 'content-type': 'application/json', [ACTION_HEADER]: '1' }, body });
    setAnswer((await response.json() as UiAnswer).message);
  };
  return (
    <div class="actions">
      {choices.map((choice) => <button key={choice.action} type="button" onClick={() => setAsked(choice)}>{choice.label}</button>)}
      {asked === undefined ? null : (
        <div role="alertdialog" aria-label={asked.question} class="question">
          {asked.question} <button type="button" ref={(button) => button?.focus()} onClick={() => setAsked(undefined)}>No</button>
          {' '}<button type="button" class="danger" onClick={() => void act(asked)}>Yes, {asked.label.toLowerCase()}</button>
        </div>
      )}
      {answer === undefined ? null : <p role="status">{answer}</p>}
    </div>
  );
}
