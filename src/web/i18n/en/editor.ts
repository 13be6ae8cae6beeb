/** Files where a person wants them: in their editor, and as a patch. */
export const editor = {
  'editor.open': 'Open in the editor',
  'editor.run': 'Open with the command of the configuration',
  'editor.runDiff': 'Compare with the command of the configuration',
  'editor.command': 'The configuration file of this server opens files with: {command}',
  'editor.noCommand':
    'A command that opens files on the machine that has them can be set as “editor” in the configuration file.',
  'editor.editor': 'Editor',
  'editor.where':
    'Files can be opened in it from here, where this browser runs on the machine that has them.',
  'editor.none': 'None',
  'editor.own': 'An address of my own',
  'editor.address': 'Address',
  'editor.addressHint':
    '{path} is the whole path, {line} a line, {machine} the machine that has the file. It is used wherever it leads to.',
  'editor.problem.no-address': 'This is no address.',
  'editor.problem.forbidden': 'An address of this kind opens no editor.',
  'editor.problem.no-path': 'It does not say where the path goes.',
  'patch.menu': 'As a patch…',
  'patch.title': 'As a patch',
  'patch.of': 'Of',
  'patch.all_one': 'All of it ({count} file)',
  'patch.all_other': 'All of it ({count} files)',
  'patch.copy': 'Copy',
  'patch.save': 'Save',
  'patch.missing_one': '{count} file is not in it: it is no text, or the patch would be too long.',
  'patch.missing_other': '{count} files are not in it: they are no text, or the patch would be too long.',
  'patch.cut': 'It is longer than can be told, and ends before its last files.',
} as const;
