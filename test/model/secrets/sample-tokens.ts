/** Values in the form of tokens. They are put together here, so that scanners of repositories find none in this one; none of them was ever valid. */

/** Letters and digits without a meaning. */
export function noise(length: number, alphabet = 'a1B2c3D4e5F6g7H8i9J0'): string {
  return alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length);
}

const HEX = '0123456789abcdef';

/** A token of each kind, by what it is called. */
export const SAMPLE_TOKENS: readonly (readonly [title: string, token: string])[] = [
  ['a Hugging Face token', `hf_${noise(34)}`],
  ['a Hugging Face organisation token', `api_org_${noise(34)}`],
  ['a Weights & Biases API key', `wandb_v1_${noise(77)}`],
  ['a Weights & Biases API key', `WANDB_API_KEY=${noise(40, HEX)}`],
  ['an AWS access key', `AKIA${noise(16, 'A2B3C4D5')}`],
  ['a temporary AWS access key', `ASIA${noise(16, 'A2B3C4D5')}`],
  ['an AWS secret access key', `AWS_SECRET_ACCESS_KEY: ${noise(40, 'a1B2/c3+')}`],
  ['a GitHub token', `ghp_${noise(36)}`],
  ['a GitHub token', `gho_${noise(36)}`],
  ['a GitHub token', `ghu_${noise(36)}`],
  ['a GitHub token', `ghs_${noise(36)}`],
  ['a GitHub token', `ghr_${noise(76)}`],
  ['a fine-grained GitHub token', `github_pat_${noise(22)}_${noise(59)}`],
  ['a GitLab token', `glpat-${noise(20)}`],
  ['a Google API key', `AIza${noise(35)}`],
  ['a Google access token', `ya29.${noise(60)}`],
  ['a Slack token', `xoxb-${noise(12, '1234567890')}-${noise(24)}`],
  ['a Slack token', `xoxp-${noise(12, '1234567890')}-${noise(24)}`],
  ['a Slack app token', `xapp-1-${noise(11)}-${noise(24)}`],
  ['a Slack webhook URL, which grants access by itself', `https://hooks.slack.com/services/T${noise(8, 'A1')}/B${noise(8, 'A1')}/${noise(24)}`],
  ['an OpenAI API key', `sk-${noise(48)}`],
  ['an OpenAI API key', `sk-proj-${noise(64)}`],
  ['an Anthropic API key', `sk-ant-api03-${noise(90)}`],
  ['an NVIDIA NGC API key', `nvapi-${noise(64)}`],
  ['a Databricks token', `dapi${noise(32, HEX)}`],
  ['a Docker Hub token', `dckr_pat_${noise(27)}`],
  ['an npm token', `npm_${noise(36)}`],
  ['a PyPI token', `pypi-AgEIcHlwaS${noise(60)}`],
  ['an Azure storage account key', `DefaultEndpointsProtocol=https;AccountKey=${noise(86)}==;EndpointSuffix=core.windows.net`],
  ['a private key', `-----BEGIN ${'PRIVATE'} KEY-----\n${noise(64)}\n-----END ${'PRIVATE'} KEY-----`],
  ['a private key', `-----BEGIN RSA ${'PRIVATE'} KEY-----`],
  ['a private key', `-----BEGIN OPENSSH ${'PRIVATE'} KEY-----`],
  ['a private key', `-----BEGIN PGP ${'PRIVATE'} KEY BLOCK-----`],
  ['a JSON web token', `eyJ${noise(20)}.eyJ${noise(40)}.${noise(43)}`],
  ['a password in a URL', 'postgresql://train:hunter2@db.example:5432/runs'],
  ['a password in a URL', 'redis://:hunter2@redis:6379/0'],
  ['a password in a URL', `https://oauth2:${noise(20)}@git.example/team/repo.git`],
];

/** A token to put somewhere. */
export const HUGGING_FACE_TOKEN = SAMPLE_TOKENS[0][1];

/** A key of Weights & Biases, which looks like any other digest. */
export const WANDB_KEY = noise(40, HEX);
