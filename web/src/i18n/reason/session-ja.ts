/** Japanese texts of notices, ends of sessions, and why the jail is off. */

import type { SessionTexts } from './session-text.js'

export const sessionTexts: SessionTexts = {
  'request.not-repeated': 'エージェントは再度リクエストしませんでした。',
  'request.other-message': 'セッションは別のメッセージで続行されました。',

  'process.ended': 'Claude Code のプロセスが自然に終了しました。',
  'process.no-reaction': 'Claude Code が {seconds} 秒以内に反応しませんでした。',
  'notice.process-retry': '{seconds} 秒後に再試行します（{max} 回中 {attempt} 回目）。',
  'notice.not-responding':
    'Claude Code が応答していません。プロセスを終了するにはセッションを停止してください。',
  'notice.no-reaction': 'Claude Code が {seconds} 秒間メッセージに反応していません。',
  'notice.shutting-down': 'Claude Code が終了処理中です。',
  'notice.crash-loop': 'このセッションを再開した直後に Signalbox が {count} 回続けて異常終了しました。',
  'notice.crash-loop-next': '{seconds} 秒後に再開します。',
  'notice.crash-loop-held':
    '今後は自動で再開しません。待機中のメッセージは保持されます。再試行するにはメッセージを送るかターンを続行し、やめるにはメッセージをキャンセルしてください。',
  'notice.reconnected': 'Signalbox が再起動しました。その間も実行されていた Claude Code に再接続しました。',
  'notice.call-repeated':
    '実行中に Signalbox が再起動しました。すでに効果が出ている可能性があります。自動では再実行しません。',
  'notice.undo-outside':
    'この呼び出しが指定する作業フォルダー外のファイルは、元に戻す対象になりません: {files}。',
  'notice.undo-ignored':
    'この呼び出しが指定する無視ファイル {count} 個は、元に戻す対象になりません: snapshots.maxIgnoredFiles または maxIgnoredMegabytes を超えています。',
  'notice.recording-too-large':
    'このフォルダーの変更は記録されず、元に戻せません: {files} ファイル（{megabytes} MB）で、snapshots.maxFiles または maxMegabytes を超えています。',
  'notice.recording-failed': '現在、変更は記録されず、元に戻せません: {reason}',
  'notice.snapshots-deleted':
    'すべてのスナップショットの合計が snapshots.maxStoreMegabytes を超えたため、このセッションのスナップショットは削除されました。このセッションの変更はもう元に戻せません。',
  'notice.untrusted':
    '作業フォルダー、またはその上のフォルダーは信頼されていません。その設定を読み込んだプロセスを終了しました。次のメッセージは設定なしでプロセスを開始します。',
  'notice.queued-before-bypass':
    'セッションが bypassPermissions に変わりました。待機中のメッセージが確認なしで実行されます: {messages}。実行しないものはキャンセルしてください。',
  'notice.queued-before-bypass-more':
    'セッションが bypassPermissions に変わりました。待機中のメッセージが確認なしで実行されます: {messages} ほか {count} 件。実行しないものはキャンセルしてください。',
  'notice.call-uncertain':
    '「{title}」は Signalbox の再起動の直前に許可されました。実行された可能性があります。ターンを続行する前に確認してください。もう一度確認します。',
  'notice.form-uncertain':
    'MCP サーバー {server} の「{title}」への回答は Signalbox の再起動の直前に受け付けられました。サーバーに届いた可能性があります。ターンを続行する前に確認してください。サーバーが再度求めた場合は受信箱にも表示されます。',
  'notice.answer-unused': '「{title}」への回答は使われませんでした。',
  'notice.model-retry': 'モデルが応答しませんでした（{reason}）。再試行します（{max} 回中 {attempt} 回目）。',
  'notice.rate-limit': '使用量の上限（{kind}）: {status}。',
  'notice.model-changed': 'モデルが変更されました。',
  'notice.model-other': '別のモデルが応答しました。',
  'notice.model-refused': 'モデルが応答を拒否しました。',
  'notice.logging-in': 'Claude Code がログインしています。',
  'notice.logged-in': 'Claude Code がログインしました。',
  'notice.transcript-long':
    'トランスクリプトの {megabytes} MB の行は途中までしか保存されていません: {file} の {offset} バイト目。',
  'notice.transcript-line': 'トランスクリプト {file} の 1 行を記録できませんでした。',
  'notice.cleared': '会話が消去されました。',
  'notice.plugin': '{name} をインストール中: {status}',
  'notice.plugin-failed': '{name} をインストールできません: {status}',
  'notice.call-refused': 'Claude Code がツールの呼び出しを拒否しました。',
  'notice.copy-failed': 'Claude Code が会話をコピーできませんでした。',
  'notice.record-failed': 'Claude Code が会話の記録を書き込めませんでした。',
  'notice.server-failed': 'MCP サーバー {server} が起動しませんでした: {reason}',
  'notice.server-failed-silently':
    'MCP サーバー {server} が起動しませんでした。Claude Code は理由を示していません。',

  'end.stopped': '{who} が停止しました。',
  'end.stopped-agent': '停止されました。',
  'end.deleted': '{who} が削除しました。',
  'end.shutdown': 'Signalbox が停止されました。',
  'end.cut-off': 'このターンの実行中に Signalbox が停止されました。続けるにはメッセージを送信してください。',
  'end.parked': 'セッションのプロセスを退避しました。',
  'end.untrusted': '作業フォルダーは信頼されなくなりました。',
  'end.not-started': '開始前に中断されました。',
  'end.task': 'タスクが終了しました。',
  'end.caller': '呼び出し元のエージェントが停止されました。',
  'end.caller-lost': 'Signalbox が再起動され、このセッションが答えるはずだった呼び出しも終了しました。',
  'end.cleared': '会話が消去されました。',
  'end.resumed-other': '代わりに別の会話が再開されました。',
  'end.logged-out': 'ユーザーがログアウトしました。',
  'end.left': 'ユーザーが終了しました。',
  'end.process': 'プロセスが終了しました。',
  'end.process-gone': 'プロセスが異常終了しました。',
  'end.superseded': 'プロセスは別のセッションを続行しました。',
  'end.transcript': 'トランスクリプトにはこれ以上ありません。',

  'jail.checking': '確認中です。',
  'jail.none': '隔離環境がありません。',
  'jail.setting-off': '設定 readOnlyJail が off です。',
  'jail.untested': '確認できませんでした: {problem}',
  'jail.platform': '{platform} には隔離環境がありません。Linux で動く bubblewrap が必要です。',
  'jail.not-installed':
    'bubblewrap がインストールされていません。パッケージ bubblewrap をインストールしてください。',
  'jail.file-missing': '{path} がありません。',
  'jail.arch': '{arch} のシステムコールが不明です。',
  'jail.leaks-connection': '隔離されたコマンドがこのマシンに接続できました。',
  'jail.leaks-fifo': '隔離されたコマンドがこのマシンの FIFO に書き込めました。',
  'jail.leaks-kill': '隔離されたコマンドがこのマシンのプロセスを終了できました。',
  'jail.leaks-write': '隔離されたコマンドがファイルに書き込めました。',
  'jail.leaks-secret': '隔離されたコマンドが秘密を読み取れました。',
  'jail.leaks': '隔離されたコマンドが外に出ました: {probe}。',
  'jail.shared-namespace': '隔離されたコマンドがこのマシンと {namespace} 名前空間を共有しています。',
  'jail.unseen-namespace': '隔離環境の {namespace} 名前空間を確認できません。',
  'jail.broken': 'ここでは動作しません（{problem}）。',
  'jail.input-changed':
    'コマンドが包んだとおりに実行されませんでした。ほかの何かが呼び出しの入力を変えています。',
  'jail.sandbox': 'セッションは Claude Code のサンドボックスを使っています。',
  'jail.plugins': 'セッションにプラグインがあり、そのフックがコマンドを変える可能性があります。',
  'jail.shell-prefix': '変数 {name} がすべてのコマンドを別のプログラムに渡します。',
  'jail.bash-rules': 'セッションに Bash に対する Claude Code のルールがあります。',
  'jail.hook-file':
    'スキル、コマンド、エージェントのファイルに、コマンドを変える可能性のあるフックがあります。',
  'jail.settings-unreadable': '{file} を読み取れないため、フックが不明です。',
  'jail.settings-hook': '{file} に、コマンドを変える可能性のある PreToolUse フックがあります。',
  'jail.settings-plugins':
    '{file} がプラグインを有効にしており、そのフックがコマンドを変える可能性があります。',
  'jail.settings-sandbox': '{file} は Claude Code のサンドボックスを使います。',
  'jail.settings-prefix': '{file} が {name} を設定し、すべてのコマンドを別のプログラムに渡します。',
  'jail.settings-rules': '{file} に、コマンドのテキストを見る Bash のルールがあります。',
  'jail.needed': '設定により読み取り専用の隔離環境が必要です。',
  'jail.shows-history': '隔離環境がないと、保護されたファイルが表示される可能性があります。',
  'jail.tool': '{tool} は隔離環境では実行されません。',
  'jail.workspace-replaced': '作業フォルダーがセッション開始時とは別のフォルダーです。',
  'jail.workspace-place': '{path} は隔離環境の作業フォルダーにできません。',
  'jail.workspace-owner': '作業フォルダーは別のユーザーのもので、隔離環境には読み取る権限がありません。',
  'jail.workspace-unreadable': '作業フォルダーを読み取れませんでした: {problem}',
  'jail.workspace-changes': '作業フォルダーの変化が速く、確認が追いつきません。',
  'jail.folder-closed': '{path}の一覧を取得できません。',
  'jail.folder-gone': 'フォルダーがなくなりました。',
  'jail.outside': 'コマンドは作業フォルダーの中では実行されません。',
  'jail.command-long': 'コマンドが長すぎるか、テキストではありません。',
  'jail.not-clean': 'リポジトリの履歴に保護されたファイルがあるか、まだ確認されていません。',
  'jail.git-credentials': 'git の設定にパスワードかトークンがあり、git にはそのファイルが必要です。',
  'jail.tracked-hidden': '保護された名前が指しているため、git が追跡する可能性のあるファイルが隠されます。',
  'jail.repository-above': 'リポジトリが作業フォルダーより上から始まっています。',
  'jail.git-elsewhere': 'git のフォルダーが作業フォルダーの外にあります。',
  'jail.about-machine': '{program} は隔離環境が隠すマシンの情報を表示します。',
  'jail.program-missing': '{program} は隔離環境にないプログラムです。',
  'jail.too-many-folders': '作業フォルダーに {count} 個を超えるフォルダーがあります。',
  'jail.too-many-hidden': '作業フォルダーに保護または特殊なファイルが {count} 個を超えてあります。',
  'jail.odd-name': '{path} の中の名前が UTF-8 ではありません。',
  'jail.hard-links': '保護されたファイルにハードリンクがありますが、ファイルが多すぎて見つけられません。',
}
