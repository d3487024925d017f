// Calls its model as often as it is told, through the protocol that it is told, and writes what it was answered.
import { writeFileSync } from 'node:fs';

const { SSE_BASE_URL, SSE_API_KEY, SSE_MODEL_NAME } = process.env;
const [protocol, times = '3'] = process.argv.slice(2);

const REQUESTS = {
  'anthropic-messages': {
    path: '/v1/messages',
    headers: { 'x-api-key': SSE_API_KEY, 'anthropic-version': '2023-06-01' },
    body: { model: SSE_MODEL_NAME, max_tokens: 100, messages: [{ role: 'user', content: 'Where is the bug?' }] },
    text: (answer) => answer.content[0].text,
  },
  'openai-chat': {
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${SSE_API_KEY}` },
    body: { model: SSE_MODEL_NAME, messages: [{ role: 'user', content: 'Where is the bug?' }] },
    text: (answer) => answer.choices[0].message.content,
  },
  'openai-responses': {
    path: '/v1/responses',
    headers: { authorization: `Bearer ${SSE_API_KEY}` },
    body: { model: SSE_MODEL_NAME, input: 'Where is the bug?' },
    text: (answer) => answer.output[0].content[0].text,
  },
  gemini: {
    path: `/v1beta/models/${SSE_MODEL_NAME}:generateContent`,
    headers: { 'x-goog-api-key': SSE_API_KEY },
    body: { contents: [{ role: 'user', parts: [{ text: 'Where is the bug?' }] }] },
    text: (answer) => answer.candidates[0].content.parts[0].text,
  },
};

async function call({ path, headers, body, text }) {
  const answer = await fetch(`${SSE_BASE_URL}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`);
  return text(await answer.json());
}

// A connection that breaks is tried once more after a moment, as agents do: a process that is killed closes what it holds one
// by one, and may take a connection for an instant yet.
async function callAgain(request) {
  try {
    return await call(request);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return call(request);
  }
}

const said = [];
for (let round = 0; round < Number(times); round += 1) said.push(await callAgain(REQUESTS[protocol]));
writeFileSync('fix.txt', said.join('\n'));
