import { JsonError } from '../json/scan.ts';
import { any, type Check, document, items, only, type Rule, type Rules, rules, switched } from './allow.ts';

/** A member's name as the API's reference writes it: it takes `file_data` as well as `fileData`. */
function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** An object with these members, in either spelling, and no others. @throws JsonError for a member in both spellings */
function object(table: Rules): Rule {
  return (check, node) => {
    const seen = new Set<string>();
    check.view.eachMember(node, (name, value) => {
      const known = camel(name);
      if (seen.has(known)) throw new JsonError(`${name} is there in two spellings`, check.view.start(value));
      seen.add(known);
      const rule = table.get(known);
      check.at(name, value, rule ?? ((inner: Check) => inner.refuse('field', check.view.kind(value))));
    });
  };
}

const blob: Rule = (check, node) => {
  const type = check.view.string(Math.max(check.view.member(node, 'mimeType'), check.view.member(node, 'mime_type')));
  if (type?.startsWith('image/')) check.images++;
  else document(check, node);
};

const part = object(
  rules({
    text: any,
    thought: any,
    thoughtSignature: any,
    partMetadata: any,
    mediaResolution: any,
    videoMetadata: any,
    inlineData: blob,
    functionCall: any,
    functionResponse: object(
      rules({
        id: any,
        name: any,
        response: any,
        willContinue: any,
        scheduling: any,
        parts: items(object(rules({ inlineData: blob, fileData: switched('url_content') }))),
      }),
    ),
    fileData: switched('url_content'),
    executableCode: switched('code_execution'),
    codeExecutionResult: switched('code_execution'),
    toolCall: switched('provider_tools'),
    toolResponse: switched('provider_tools'),
  }),
);

const content = object(rules({ role: any, parts: items(part) }));

const tool = object(
  rules({
    functionDeclarations: any,
    googleSearch: switched('web_search'),
    googleSearchRetrieval: switched('web_search'),
    enterpriseWebSearch: switched('web_search'),
    exaAiSearch: switched('web_search'),
    parallelAiSearch: switched('web_search'),
    urlContext: switched('web_fetch'),
    codeExecution: switched('code_execution'),
    mcpServers: switched('mcp'),
    googleMaps: switched('provider_tools'),
    fileSearch: switched('provider_tools'),
    retrieval: switched('provider_tools'),
    computerUse: switched('provider_tools'),
  }),
);

const generationConfig = object(
  rules({
    candidateCount: only('choices', '1'),
    enableEnhancedCivicAnswers: any,
    frequencyPenalty: any,
    logprobs: any,
    maxOutputTokens: any,
    mediaResolution: any,
    presencePenalty: any,
    responseFormat: any,
    responseJsonSchema: any,
    responseLogprobs: any,
    responseMimeType: any,
    // Pictures and speech have other prices.
    responseModalities: items(only('provider_tools', '"TEXT"')),
    responseSchema: any,
    seed: any,
    stopSequences: any,
    temperature: any,
    thinkingConfig: any,
    topK: any,
    topP: any,
  }),
);

const REQUEST = {
  contents: items(content),
  systemInstruction: content,
  tools: items(tool),
  toolConfig: object(
    rules({ functionCallingConfig: any, retrievalConfig: any, includeServerSideToolInvocations: any }),
  ),
  safetySettings: any,
  generationConfig,
  labels: any,
  serviceTier: only('service_tier', '"standard"', '"SERVICE_TIER_STANDARD"', '"SERVICE_TIER_UNSPECIFIED"'),
  store: only('stored', 'false'),
  cachedContent: switched('stored'),
} as const;

/** The body of `generateContent` and `streamGenerateContent`. */
export const GEMINI_REQUEST: Rule = object(rules(REQUEST));

/** The body of `countTokens`. A request within it names the model a second time; it costs nothing. */
export const GEMINI_COUNT_REQUEST: Rule = object(
  rules({ contents: REQUEST.contents, generateContentRequest: object(rules({ ...REQUEST, model: any })) }),
);
