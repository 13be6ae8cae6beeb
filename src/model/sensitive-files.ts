/**
 * Files that no wildcard reaches: those that make programs run (hooks, settings of agents and editors, shell profiles, CI, scripts of
 * packages, what belongs to the system), and those that hold secrets. Of a call that only reads, the secrets alone.
 * Names are compared as the most forgiving file system does: whatever their case, without dots and spaces at the end.
 */
export function isSensitive(path: string, readOnly: boolean): boolean {
  const isWhole = /^(\/|[A-Za-z]:[\\/])/.test(path);
  const names = path
    .replace(/^[A-Za-z]:/, '')
    .split(/[\\/]/)
    .map((name) => name.toLowerCase().replace(/:.*$|[. ]+$/g, ''))
    .filter((name) => name !== '');
  const inside = withoutWorktree(names);
  if (inside.some((name) => secretFolders.has(name)) || secretFile.test(inside.at(-1) ?? '')) return true;
  if (isWhole && beginsWith(names, systemSecrets)) return true;
  if (readOnly) return false;
  return (
    (isWhole && beginsWith(names, systemFolders)) ||
    inside.some((name, at) => runningFolders.has(name) || runningFolders.has(`${name}/${inside[at + 1]}`)) ||
    inside.some((name) => runningFile.test(name))
  );
}

/** A worktree that Claude Code made lies in its folder of settings, one that Beckon made in its own; each is a project like any other. */
function withoutWorktree(names: readonly string[]): readonly string[] {
  for (const [folder, depth] of [
    ['.beckon', 4],
    ['.claude', 3],
  ] as const) {
    const at = names.findIndex((name, place) => name === folder && names[place + 1] === 'worktrees');
    // What Beckon keeps of them begins with a dot, and is its own.
    if (at !== -1 && names[at + depth - 1] !== undefined && !names[at + 2]?.startsWith('.'))
      return names.slice(at + depth);
  }
  return names;
}

const beginsWith = ([first = '', second = '']: readonly string[], folders: ReadonlySet<string>): boolean =>
  folders.has(first) || folders.has(`${first}/${second}`);

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const systemSecrets = words('dev proc etc/shadow etc/sudoers etc/ssh private/etc');
const systemFolders = words('bin boot etc lib lib64 library run sbin sys system usr windows');

const secretFolders = words(
  '.ssh .gnupg .aws .azure .kube .docker .config .password-store .beckon keychains',
);

const secretFile =
  /^(\.env(\..+)?|\.netrc|_netrc|\.pgpass|\.pypirc|\.npmrc|\.dockercfg|\.git-credentials|\.htpasswd|\.credentials\.json|\.claude\.json|auth\.json|oauth_creds\.json|authorized_keys|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.+\.(pem|key|p12|pfx|jks|keystore|kdbx))$/;

/** Folders with hooks and settings, whatever lies in them; `a/b` where only a part of one does. */
const runningFolders = words(`
  .git .hg .svn .jj .husky .githooks .lefthook
  .claude .codex .gemini .cursor .windsurf .continue .opencode .qwen .kiro .roo .clinerules .goose .amp .aider
  .vscode .idea .zed .fleet .devcontainer
  .github/workflows .github/actions .gitea .forgejo .circleci .buildkite .woodpecker .gitlab
  .local .cargo .gradle .m2 .bundle .yarn .bin .direnv
  launchagents launchdaemons autostart systemd cron.d cron.hourly cron.daily cron.weekly cron.monthly crontabs
  init.d profile.d powershell windowspowershell`);

const runningFile = new RegExp(
  `^(${[
    // agents
    String.raw`\.?mcp\.json|\.claude\.local\.json|\.aider.*|\.cursorrules|opencode\.jsonc?`,
    // shells and programs that read a file of commands when they start
    String.raw`\.(bash|zsh|k?sh|csh|tcsh)rc|\.bash_(profile|login|logout|aliases|history)|\.(z)?(profile|login|logout)|\.zshenv|.*profile\.ps1`,
    String.raw`\.(input|xinit|screen|vim|gvim|nvim|ex|wget|curl|psql|irb|pry|hg)rc|\.emacs|\.tmux\.conf|\.(gdb|lldb)init|\.xprofile|\.xsession(rc)?|\.pythonrc(\.py)?|\.rprofile|crontab`,
    // version control and its hooks
    String.raw`\.gitconfig|\.gitmodules|\.gitattributes|\.pre-commit-config\.ya?ml|\.?lefthook\.ya?ml|\.lintstagedrc.*|lint-staged\.config\..+|\.huskyrc.*`,
    // continuous integration
    String.raw`\.gitlab-ci\.ya?ml|jenkinsfile.*|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.?(travis|drone|appveyor|cirrus|woodpecker)\.ya?ml|cloudbuild\.ya?ml|buildspec\.ya?ml`,
    // scripts of packages, builds and tasks
    String.raw`package\.json|\.yarnrc.*|\.pnpmfile\.c?js|pnpm-workspace\.yaml|\.pnp\..*|bunfig\.toml|deno\.jsonc?|composer\.json|pyproject\.toml|setup\.(py|cfg)|tox\.ini|noxfile\.py`,
    String.raw`(gnu)?makefile|\.?justfile|taskfile\.ya?ml|rakefile|gemfile|build\.rs|.+\.gradle(\.kts)?|gradlew(\.bat)?|mvnw(\.cmd)?|pom\.xml|cmakelists\.txt`,
    String.raw`dockerfile.*|(docker-)?compose.*\.ya?ml|vagrantfile|procfile`,
    String.raw`\.envrc|\.?mise.*\.toml|\.tool-versions|.+\.(code-workspace|desktop|service|timer|plist)`,
  ].join('|')})$`,
);
