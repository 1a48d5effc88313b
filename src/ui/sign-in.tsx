/** Signing in to the dashboard of a cluster with a token. */
import { useState } from 'preact/hooks';
import { post } from './live';
import { SIGN_IN_PLACE, type UiAnswer } from '../cli/ui/protocol';

/** Asks for a token. The server keeps it in a cookie that scripts cannot read. */
export function SignIn({ why, onSignedIn }: { readonly why: string; readonly onSignedIn: () => Promise<void> }) {
  const [token, setToken] = useState('');
  const [answer, setAnswer] = useState<string | undefined>();
  const signIn = async () => {
    setAnswer('Asking the cluster ...');
    const response = await post(`.${SIGN_IN_PLACE}`, { token });
    setToken('');
    if (response.ok) {
      await onSignedIn();
    } else {
      setAnswer((await response.json() as UiAnswer).message);
    }
  };
  return (
    <main class="sign-in">
      <h1>Trainyard</h1>
      <p>{why} You see and change what the token's permissions allow.</p>
      <form onSubmit={(event) => {
        event.preventDefault();
        void signIn().catch(() => setAnswer('The server does not answer. Try again.'));
      }}>
        <label>Token <input type="password" name="token" autocomplete="off" required value={token} onInput={({ currentTarget }) => setToken(currentTarget.value)} /></label>
        {' '}<button type="submit">Sign in</button>
      </form>
      <p role="status" class={answer === undefined ? undefined : 'problem'}>{answer}</p>
      <p class="note">A token of a service account: <code>kubectl create token NAME -n NAMESPACE</code>. On GKE, your own: <code>gcloud auth print-access-token</code>.</p>
    </main>
  );
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await post(`.${SIGN_IN_PLACE}`, { token: '' });
}
