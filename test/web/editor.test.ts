import { describe, expect, it } from 'vitest';
import { editorAddress, editors, templateProblem } from '../../src/web/editor/editor.logic.ts';

const here = {};
const there = { machine: 'gpu-1' };

describe('[CHG44] the address that opens a file in an editor', () => {
  it('has the path and the line, escaped so that neither passes for anything else', () => {
    const place = { path: '/home/me/a b#c?d&e/ü:9.ts', line: 12 };
    expect(editorAddress('vscode', place, here, 'localhost')).toBe(
      'vscode://file/home/me/a%20b%23c%3Fd%26e/%C3%BC%3A9.ts:12',
    );
    expect(editorAddress('idea', place, here, '127.0.0.1')).toBe(
      'idea://open?file=/home/me/a%20b%23c%3Fd%26e/%C3%BC%3A9.ts&line=12',
    );
    expect(editorAddress('vscode', { path: 'C:\\work\\a.ts' }, here, 'localhost')).toBe(
      'vscode://file/C:/work/a.ts:1',
    );
    expect(editorAddress('vscode', { path: 'not/whole.ts' }, here, 'localhost')).toBeUndefined();
    expect(editorAddress(undefined, place, here, 'localhost')).toBeUndefined();
  });

  it('is there for an editor of this machine only where the files are on it', () => {
    const place = { path: '/a.ts' };
    for (const name of Object.keys(editors)) {
      expect(editorAddress(name, place, here, '127.0.0.1')).toBeDefined();
      expect(editorAddress(name, place, here, 'beckon.example')).toBeUndefined();
      expect(editorAddress(name, place, there, 'localhost')).toBeUndefined();
    }
    const own = 'vscode://vscode-remote/ssh-remote+{machine}{path}:{line}';
    expect(editorAddress(own, place, there, 'beckon.example')).toBe(
      'vscode://vscode-remote/ssh-remote+gpu-1/a.ts:1',
    );
    expect(editorAddress(own, place, here, 'beckon.example')).toBe(
      'vscode://vscode-remote/ssh-remote+beckon.example/a.ts:1',
    );
    expect(editorAddress('myeditor:{path}', place, there, 'localhost')).toBeUndefined();
  });

  it.each([
    'javascript:alert("{path}")',
    'JavaScript:void {path}',
    ' javascript:{path}',
    'java\tscript:{path}',
    'data:text/html,{path}',
    'vbscript:{path}',
    'blob:{path}',
    'file://{path}',
    'about:blank#{path}',
  ])('is never one that runs or reads something in the page: %s', (template) => {
    expect(templateProblem(template)).toMatch(/forbidden|no-address/);
    expect(editorAddress(template, { path: '/a.ts' }, here, 'localhost')).toBeUndefined();
  });

  it('of one’s own says where the path goes', () => {
    expect(templateProblem('myeditor://open')).toBe('no-path');
    expect(templateProblem('open {path}')).toBe('no-address');
    expect(templateProblem('myeditor://open?f={path}')).toBeUndefined();
  });
});
