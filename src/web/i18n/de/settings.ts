export const settings = {
  'settings.look': 'Aussehen',
  'settings.lookText': 'Wie Beckon in diesem Browser aussieht und spricht.',
  'settings.theme': 'Erscheinungsbild',
  'settings.theme.system': 'Wie das System',
  'settings.theme.light': 'Hell',
  'settings.theme.dark': 'Dunkel',

  'settings.answering': 'Antworten',
  'settings.answeringText': 'Ob Agenten von hier aus Antwort bekommen können.',
  'settings.interaction': 'Agenten in diesem Browser antworten',
  'settings.interactionHint':
    'Ist es aus, siehst du alles, was gefragt wird, kannst aber nicht versehentlich antworten. Werkzeuge, die eine Antwort brauchen, zählen diesen Browser als abwesend.',

  'settings.notifications': 'Benachrichtigungen',
  'settings.notificationsText':
    'Für den Blick woandershin: anderer Tab, anderes Fenster, andere Sitzung. Was ohnehin zu sehen ist, bleibt still.',
  'settings.when': 'Wenn',
  'settings.channel.sound': 'Ton',
  'settings.channel.desktop': 'Auf dem Schreibtisch',
  'settings.urgency.asks': 'Ein Agent wartet auf dich',
  'settings.urgency.failed': 'Eine Sitzung schlägt fehl',
  'settings.urgency.finished': 'Ein Agent ist fertig',
  'settings.permission.default':
    'Der Browser wurde noch nicht gefragt, ob Beckon Benachrichtigungen zeigen darf.',
  'settings.permission.granted': 'Der Browser lässt Beckon Benachrichtigungen zeigen.',
  'settings.permission.denied':
    'Der Browser verbietet Beckon Benachrichtigungen. Sie lassen sich in den Browser-Einstellungen für diese Seite erlauben; Töne gehen trotzdem.',
  'settings.permission.insecure':
    'Browser zeigen Benachrichtigungen nur für Seiten von diesem Rechner oder über HTTPS. Töne gehen trotzdem.',
  'settings.permission.unsupported': 'Dieser Browser zeigt keine Benachrichtigungen. Töne gehen trotzdem.',
  'settings.permit': 'Erlauben',
  'settings.test': 'Ausprobieren',
  'settings.unheard':
    'Der Browser hat den Ton nicht durchgelassen. Irgendwo auf die Seite drücken, dann erneut versuchen.',

  'settings.grants': 'Dauerhafte Freigaben',
  'settings.grantsText': 'Was Agenten tun dürfen, ohne zu fragen. Jede Nutzung steht in der Unterhaltung.',
  'settings.noGrants':
    'Es gibt keine: Jede Anfrage kommt zu dir. Was für eine Sitzung oder für immer erlaubt wird, steht dann hier und lässt sich zurücknehmen.',
  'settings.ofKey': 'freigegeben unter dem Namen',
  'settings.trust': 'Alles, was sie erbittet',
  'settings.exact': 'genau dies',
  'settings.scope.session': 'Diese Sitzung',
  'settings.scope.always': 'Immer',
  'settings.since': 'Erlaubt',
  'settings.until': 'bis {when}',
  'settings.revoke': 'Zurücknehmen',
  'settings.confirmRevoke': 'Zum Zurücknehmen noch einmal drücken',
  'settings.revoked': 'Ab jetzt fragt {tool} wieder.',

  'settings.channels': 'Webhooks und ntfy',
  'settings.channelsText':
    'Wohin Beckon Menschen und Programmen meldet, was wartet, gescheitert oder fertig ist. Sie stehen in der Konfigurationsdatei.',
  'settings.noChannels':
    'Keine. Trage Webhooks oder ein ntfy-Thema in config.json ein und starte den Server neu.',
  'settings.channelDisabled': 'ruht bis zum nächsten Start',
  'settings.channelWaiting': '{count} wartend',
  'settings.channelDropped': '{count} aufgegeben',
  'settings.channelUnused': 'Seit dem Start des Servers wurde nichts gesendet.',
  'settings.channelTold': 'Zuletzt erreicht',
  'settings.tools': 'Werkzeuge',
  'settings.toolsText':
    'Werkzeuge, die Agenten aufrufen können und die hier in Beckon fragen, während sie laufen.',
  'settings.noTools':
    'Es sind keine Werkzeuge geladen. Eine Datei oder ein Ordner hinter --tools bringt welche.',
  'settings.askFirst': 'Der Agent fragt vor jedem Aufruf',
  'settings.fileNotLoaded': 'Diese Datei ließ sich nicht laden:',
  'settings.toolNotLoaded': 'Das Werkzeug {tool} ließ sich nicht laden:',
  'settings.builtIn': 'Eingebaut',

  'settings.devices': 'Geräte',
  'settings.devicesText': 'Browser, die eingelassen sind. Ein entferntes Gerät muss neu gekoppelt werden.',
  'settings.noDevices':
    'Kein Browser ist gekoppelt; Programme kommen mit dem Token aus dem Datenverzeichnis hinein.',
  'settings.thisDevice': 'Dieses Gerät',
  'settings.paired': 'Gekoppelt',
  'settings.seen': 'Zuletzt gesehen',
  'settings.removeDevice': 'Entfernen',
  'settings.confirmRemove': 'Zum Entfernen noch einmal drücken',
  'settings.deviceRemoved': '{name} wird nicht mehr eingelassen.',
  'settings.signOut': 'Abmelden',
  'settings.confirmSignOut': 'Zum Abmelden noch einmal drücken',
  'settings.pair': 'Weiteres Gerät koppeln',
  'settings.pairAgain': 'Neuen Code machen',
  'settings.pairHow':
    'Das Quadrat mit dem anderen Gerät scannen, den Link dort öffnen oder den Code eintippen.',
  'settings.pairLink': 'Link zum Öffnen',
  'settings.pairCode': 'Code zum Eintippen',
  'settings.pairOnce': 'Gilt einmal, noch {left}.',
  'settings.pairLoopback':
    'Diese Adresse kennt nur dieser Rechner. Um Beckon vom Telefon aus zu erreichen, einen Proxy oder Tunnel davorstellen und Beckon mit --public-url und dessen Adresse starten.',
  'settings.codeOver': 'Der Code ist abgelaufen.',
  'settings.qr': 'Der Kopplungslink als Quadrat zum Scannen',
  'settings.copy': 'Kopieren',
  'settings.copied': 'Kopiert',

  'settings.usage': 'Verbrauch',
  'settings.usageText':
    'Tokens und Kosten aller Sitzungen in den letzten 30 Tagen. Die Tage sind die der UTC.',
  'settings.noUsage': 'In den letzten 30 Tagen ist kein Durchgang zu Ende gegangen.',
  'settings.usageBy': 'Zusammenzählen nach',
  'settings.usageBy.day': 'Tag',
  'settings.usageBy.agent': 'Art des Agenten',
  'settings.usageBy.project': 'Projekt',
  'settings.tokens': 'Token',
  'settings.costPerDay': 'Kosten je Tag',
  'settings.tokensPerDay': 'Token je Tag',
  'settings.about': 'Über Beckon',
  'settings.aboutText': 'Was hier läuft und welche Agenten auf diesem Rechner gefunden wurden.',
  'settings.noAgents': 'Es sind keine Agenten bekannt.',
} as const;
