/**
 * One session of an agent program, without a terminal: started as a person's script starts it, offline, with the
 * scripted model as its provider, and waited for.
 */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { programWords } from "./installed.ts";
import { type ModelTurn, type Script, startModel } from "./model.ts";
import { openai } from "./openai.ts";
import { bareEnvironment, findable, type Project, readFile } from "./project.ts";

export interface Session {
  readonly code: number | null;
  /** What the program wrote to standard output and standard error. */
  readonly stdout: string;
  readonly stderr: string;
  /** What its model was asked. */
  readonly turns: readonly ModelTurn[];
}

/** How long a session may take, in milliseconds, however busy the machine is. */
export const sessionMsMax = 120_000;

interface Started {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What Codex takes its model for: each family has other tools. An unknown one has no tool for patches, and the newest one
 * calls all tools from JavaScript.
 */
export type CodexFamily = "unknown" | "gpt-5.5" | "gpt-6-sol";

export const providers = { "claude-code": anthropic, codex: openai, gemini: google } as const;

export const starts: Readonly<Record<HookProgram, (project: Project, url: string, asked: Asked) => Started>> = {
  "claude-code": (project, url, { isTrusted = true }) => {
    const known = {
      hasTrustDialogAccepted: true,
      hasCompletedProjectOnboarding: true,
      enabledMcpjsonServers: ["baton"],
    };
    const key = { approved: ["dummy"], rejected: [] };
    writeFileSync(
      join(project.home, ".claude.json"),
      JSON.stringify({
        hasCompletedOnboarding: true,
        customApiKeyResponses: key,
        projects: isTrusted ? { [project.root]: known } : {},
      }),
    );
    return {
      words: ["-p", "Begin.", "--output-format", "stream-json", "--verbose", "--include-hook-events"],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "dummy",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        IS_SANDBOX: "1",
        ENABLE_TOOL_SEARCH: "false",
      },
    };
  },
  codex: (project, url, { family = "gpt-5.5", settings = "", isFree = false, isTrusted = true }) => {
    const folder = join(project.home, ".codex");
    const file = join(folder, "config.toml");
    mkdirSync(folder, { recursive: true });
    // What Codex wrote of its plugins stays.
    const plugins = /\[marketplaces\.baton\][\s\S]*?enabled = true\n/.exec(readFile(file) ?? "")?.[0] ?? "";
    writeFileSync(
      file,
      `model = "${family}"
${isFree ? 'sandbox_mode = "danger-full-access"\napproval_policy = "never"\n' : ""}model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
${isTrusted ? `[projects.${JSON.stringify(project.root)}]\ntrust_level = "trusted"\n` : ""}${plugins}${settings}`,
    );
    return {
      words: ["exec", "--dangerously-bypass-hook-trust", "--sandbox", "workspace-write", "Begin."],
      env: { CODEX_HOME: folder, SCRIPTED_KEY: "dummy" },
    };
  },
  gemini: (project, url, { isTrusted = true }) => {
    const folder = join(project.home, ".gemini");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "settings.json"), JSON.stringify(geminiSettings));
    return {
      // A named model: for an unnamed one another model is asked first which it is to be.
      words: ["--model", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", "Begin."],
      env: {
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_API_KEY: "dummy",
        ...(isTrusted ? { GEMINI_CLI_TRUST_WORKSPACE: "true" } : {}),
      },
    };
  },
};

export interface Asked {
  readonly agent: string;
  readonly script: Script;
  /** More words on the program's line. */
  readonly words?: readonly string[];
  /** Codex runs only hooks that its user has reviewed; absent: it runs them. */
  readonly isReviewed?: boolean;
  /** Whether the program's user trusts the project's folder; absent: they do. */
  readonly isTrusted?: boolean;
  /** More lines of Codex's own settings. */
  readonly settings?: string;
  /** Codex runs its shell without a sandbox, and asks nobody; absent: in one that cannot see files of other programs. */
  readonly isFree?: boolean;
  /** Started by `baton run`, with the program on the PATH, instead of by BATON_AGENT. */
  readonly isLaunched?: boolean;
  readonly family?: CodexFamily;
  /** Codex's daemon stays when its terminal ends, as it does for a person. */
  readonly isLeft?: boolean;
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Nothing that asks the network but the model: a search program that it would download, updates, statistics. */
const geminiSettings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  tools: { useRipgrep: false },
};

/** A hook as Codex lists it. */
interface CodexHook {
  readonly key: string;
  readonly currentHash: string;
}

/** The hooks that Codex finds in the project, with further words on its line, asked of the program itself. */
async function hooksOfCodex(project: Project, words: readonly string[]): Promise<readonly CodexHook[]> {
  const { env } = starts.codex(project, "http://127.0.0.1:9", { agent: "", script: () => "" });
  const [command = ""] = programWords("codex");
  const child = spawn(command, [...words, "app-server"], {
    cwd: project.root,
    env: { ...bareEnvironment(project.home), ...env },
    stdio: ["pipe", "pipe", "ignore"],
    timeout: sessionMsMax,
  });
  const calls = [
    { id: 0, method: "initialize", params: { clientInfo: { name: "baton-tests", version: "1" } } },
    { method: "initialized" },
    { id: 1, method: "hooks/list", params: { cwds: [project.root] } },
  ];
  child.stdin.write(calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
  try {
    for await (const line of createInterface(child.stdout)) {
      const { id, result } = JSON.parse(line) as { id?: number; result?: { data: [{ hooks: CodexHook[] }] } }; // its own
      if (id === 1) return result?.data[0].hooks ?? [];
    }
    return [];
  } finally {
    child.kill("SIGTERM");
  }
}

/** Settings of Codex's user by which these hooks have been reviewed; `line`: those of Baton's start line. */
export async function reviewedHooks(project: Project, line: readonly string[] = []): Promise<string> {
  const found = await hooksOfCodex(project, line);
  // Of a plugin's hook the second hash is that of the whole plugin.
  const reviewed = ({ key, currentHash }: CodexHook) => {
    const [own, content] = currentHash.split("/");
    const whole = content === undefined ? "" : `trusted_content_hash = "${content}"\n`;
    return `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${own}"\n${whole}`;
  };
  return found.map(reviewed).join("");
}

/** Runs `program` in the project as `agent` until its model ends the turn. */
export async function runSession(project: Project, program: HookProgram, asked: Asked): Promise<Session> {
  await using model = await startModel(providers[program], asked.script);
  const { child, said } = startProgram(project, program, asked, model.url);
  child.stdin.end();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, ...said, turns: model.turns };
}

function startProgram(project: Project, program: HookProgram, asked: Asked, url: string) {
  const { agent, words = [], isLaunched = false, isReviewed = true } = asked;
  const started = starts[program](project, url, asked);
  const usual = { ...bareEnvironment(project.home), ...started.env, ...asked.env };
  if (isLaunched) findable(project.home, program);
  const [[command = "", ...first], env] = isLaunched
    ? [[process.execPath, project.launcher, "run", agent, "--program", program, "--"], usual]
    : [programWords(program), { ...usual, BATON_AGENT: agent }];
  const own = started.words.filter((word) => isReviewed || word !== "--dangerously-bypass-hook-trust");
  const child = spawn(command, [...first, ...own, ...words], {
    cwd: project.root,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: sessionMsMax,
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  }
  return { child, said };
}
