// A client of the MCP server that knows nothing but JSON-RPC over HTTP: calls test_patch and prints what it answers.
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};
let id = 0;

async function call(method, params) {
  id += 1;
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const response = await fetch('http://localhost:3000/mcp', { method: 'POST', headers, body });
  const text = await response.text();
  const messages = text.startsWith('{') ? [text] : [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data);
  const answer = messages.map((message) => JSON.parse(message)).find((message) => message.id === id);
  if (!answer?.result) throw new Error(`${method}: ${response.status} ${text}`);
  return answer.result;
}

const clientInfo = { name: 'client', version: '1' };
await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
const { tools } = await call('tools/list', {});
const start = performance.now();
const { content } = await call('tools/call', { name: tools.map(({ name }) => name).join(), arguments: {} });
process.stderr.write(`${Math.round(performance.now() - start)}\n`);
process.stdout.write(`${content.map(({ text }) => text).join('|')}\n`);
