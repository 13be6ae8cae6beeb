export const push = {
  'push.title': 'Wenn Beckon geschlossen ist',
  'push.text':
    'Dieses Gerät kann auch benachrichtigt werden, wenn keine Seite von Beckon offen ist. Was ankommt, ist für diesen Browser verschlüsselt: Der Push-Dienst seines Herstellers sieht, dass etwas kommt, aber nicht was.',
  'push.insecure':
    'Browser erlauben das nur für Seiten von diesem Rechner oder über HTTPS. Beckon hinter HTTPS stellen: mit „tailscale serve“, mit Caddy oder mit einem Zertifikat von mkcert, dem dieses Gerät vertraut. Dann unter dieser Adresse öffnen und dort koppeln.',
  'push.install-first':
    'Auf iPhone und iPad Beckon zuerst zum Home-Bildschirm hinzufügen (Teilen, dann „Zum Home-Bildschirm“). Von dort öffnen, noch einmal koppeln und dies in den Einstellungen einschalten.',
  'push.unsupported': 'Dieser Browser kann bei geschlossener Seite nicht benachrichtigt werden.',
  'push.denied':
    'Der Browser verbietet Beckon Benachrichtigungen. Sie in den Browser-Einstellungen für diese Seite erlauben und die Seite neu laden.',
  'push.switchOn': 'Für dieses Gerät einschalten',
  'push.switchOff': 'Ausschalten',
  'push.shown': 'Was zu sehen ist',
  'push.shown.title': 'Nur die Sitzung',
  'push.shown.title.hint': 'Wer auf das Gerät schaut, sieht, welche Sitzung dich braucht, aber nicht wofür.',
  'push.shown.full': 'Auch was gefragt wird',
  'push.shown.full.hint':
    'Kurze, einfache Befehle lassen sich dann auf der Benachrichtigung selbst erlauben oder ablehnen, wenn das Gerät Knöpfe dafür hat: auch auf dem Sperrbildschirm, falls es sie dort zeigt.',
  'push.test': 'Test schicken',
  'push.sent': 'Der Push-Dienst hat sie angenommen. Sie sollte in wenigen Sekunden hier sein.',
  'push.unreached': 'Der Push-Dienst dieses Browsers war nicht zu erreichen.',
  'push.refused':
    'Der Push-Dienst dieses Browsers antwortete mit {status}. Geht es nicht bald wieder, hilft aus- und wieder einschalten.',
} as const;
