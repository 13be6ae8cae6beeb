import { describe, expect, it } from 'vitest';
import { findProgram } from '../../src/drivers/process/find-program.ts';
import { startable } from '../../src/drivers/process/windows-command.ts';

const npm = 'C:\\Users\\Ada\\AppData\\Roaming\\npm';
const env = { Path: `C:\\Windows;${npm}`, ComSpec: 'C:\\Windows\\cmd.exe' };

const find = (name: string, files: readonly string[], variables: Record<string, string> = env) =>
  findProgram(name, variables, { platform: 'win32', isProgram: (path) => files.includes(path) })?.command;

describe('programs on Windows', () => {
  it('are found on Path by the endings of PATHEXT, in its order, and a script for another shell is passed over', () => {
    const installed = [`${npm}\\claude`, `${npm}\\claude.cmd`, `${npm}\\claude.ps1`];
    expect(find('claude', installed)).toBe(`${npm}\\claude.cmd`);
    expect(find('claude', [...installed, `${npm}\\claude.exe`])).toBe(`${npm}\\claude.exe`);
    expect(find('claude', installed, { ...env, PATHEXT: '.EXE' })).toBeUndefined();
    expect(find('claude', [`${npm}\\claude.py`], { ...env, PATHEXT: '.EXE;.PY' })).toBe(`${npm}\\claude.py`);
    expect(find('claude', ['C:\\Windows\\claude.cmd', ...installed])).toBe('C:\\Windows\\claude.cmd');
    expect(find('claude', [`${npm}\\claude`])).toBeUndefined();
  });

  it('may be named with their ending, and by a path with or without it', () => {
    const there = ['D:\\my agents\\run.exe', 'D:\\my agents\\tool.v2.cmd'];
    expect(find('D:\\my agents\\run.exe', there)).toBe('D:\\my agents\\run.exe');
    expect(find('D:/my agents/run', there)).toBe('D:\\my agents\\run.exe');
    expect(find('D:\\my agents\\tool.v2', there)).toBe('D:\\my agents\\tool.v2.cmd');
    expect(find('D:\\my agents\\RUN.EXE', ['D:\\my agents\\RUN.EXE'])).toBe('D:\\my agents\\RUN.EXE');
  });

  it('elsewhere have no endings', () => {
    const isProgram = (path: string) => path === '/usr/bin/claude';
    const found = findProgram('claude', { PATH: '/bin:/usr/bin' }, { platform: 'linux', isProgram });
    expect(found?.command).toBe('/usr/bin/claude');
  });
});

describe('what Windows is asked to start', () => {
  const shim = `@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n
IF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n
endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\@anthropic-ai\\claude-code\\cli.js" %*\r\n`;
  const script = `${npm}\\node_modules\\@anthropic-ai\\claude-code\\cli.js`;
  const files = (texts: Record<string, string>) => ({
    platform: 'win32' as const,
    read: (path: string) => texts[path],
    exists: (path: string) => path in texts,
  });

  it('is the script behind a file of npm’s, by Node, with arguments as they are', () => {
    const args = ['--append', 'a "b" & c\nd', '%PATH%'];
    const installed = { [`${npm}\\claude.cmd`]: shim, [script]: '' };
    expect(startable(`${npm}\\claude.cmd`, args, env, files(installed))).toEqual({
      file: 'node.exe',
      given: [script, ...args],
    });
    const withNode = { ...installed, [`${npm}\\node.exe`]: '' };
    expect(startable(`${npm}\\claude.cmd`, [], env, files(withNode)).file).toBe(`${npm}\\node.exe`);
  });

  it('is the shell for any other file, with nothing left that it could take for its own', () => {
    const started = startable(
      'D:\\my agents\\run.bat',
      ['a b', 'x&calc', '%PATH%', 'say "hi"\\'],
      env,
      files({}),
    );
    expect(started).toMatchObject({ file: 'C:\\Windows\\cmd.exe', windowsVerbatimArguments: true });
    const [d, s, c, line = ''] = started.given;
    expect([d, s, c]).toEqual(['/d', '/s', '/c']);
    expect(line).toMatch(/^"D:\\my\^ agents\\run\.bat .*"$/);
    // What the shell hands to the file, and then the file's own shell to the program.
    const once = line.slice(1, -1).replace(/\^(.)/g, '$1');
    expect(once.replace(/\^(.)/g, '$1')).toBe(
      'D:\\my agents\\run.bat "a b" "x&calc" "%PATH%" "say \\"hi\\"\\\\"',
    );
    expect(once.replace(/\^./g, '')).not.toMatch(/[&|<>%]/);
    expect(line.slice(1, -1).replace(/\^./g, '')).not.toMatch(/[&|<>%"]/);
  });

  it('cannot be a file with an argument of several lines: that is said, and nothing is run', () => {
    expect(() => startable('C:\\run.cmd', ['a\r\ncalc'], env, files({}))).toThrow('several lines');
  });

  it('is a program as it stands, and so is everything elsewhere', () => {
    expect(startable('C:\\run.exe', ['a b'], env, files({}))).toEqual({
      file: 'C:\\run.exe',
      given: ['a b'],
    });
    const elsewhere = { ...files({}), platform: 'linux' as const };
    expect(startable('/bin/run.cmd', ['a'], {}, elsewhere)).toEqual({ file: '/bin/run.cmd', given: ['a'] });
  });
});
