// Writes one note on a merge request, and changes it in later runs. It needs Node and nothing else. https://docs.gitlab.com/api/notes/#merge-requests
import { readFileSync } from 'node:fs';

const { CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, TRAINYARD_TOKEN } = process.env;
if (!TRAINYARD_TOKEN) {
  throw new Error('TRAINYARD_TOKEN is not set: an access token of the project with the scope api, as a masked variable. The log of the job diff has the text.');
}
const notes = CI_API_V4_URL + '/projects/' + CI_PROJECT_ID + '/merge_requests/' + CI_MERGE_REQUEST_IID + '/notes';
const ask = async (url, method = 'GET', content = undefined) => {
  const headers = { 'PRIVATE-TOKEN': TRAINYARD_TOKEN, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, body: content && JSON.stringify(content) });
  if (!response.ok) {
    throw new Error(method + ' ' + url + ': ' + response.status + ' ' + await response.text());
  }
  return response;
};
let found;
for (let page = '1'; page && !found;) {
  const response = await ask(notes + '?per_page=100&page=' + page);
  found = (await response.json()).find(({ body }) => body.startsWith('<!-- trainyard diff -->'));
  page = response.headers.get('x-next-page');
}
const body = readFileSync('trainyard-diff.md', 'utf8');
await (found ? ask(notes + '/' + found.id, 'PUT', { body }) : ask(notes, 'POST', { body }));
