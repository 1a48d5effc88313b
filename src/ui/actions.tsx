/** Actions on a job, if the pages may change jobs. */
import { useState } from 'preact/hooks';
import { post } from './live';
import type { UiAction, UiAnswer, UiJob, UiSession } from '../cli/ui/protocol';

interface Choice {
  readonly action: UiAction['action'];
  readonly label: string;
  readonly question: string;
}

/** Buttons for the actions that the user may do. Each asks for confirmation. */
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
    const response = await post('api/action', { action, job, namespace, run });
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
