/** Texts of notifications, in Korean. */

import type { Texts } from './en.js'

export const ko: Texts = {
  permission: '{name}: 권한 요청',
  question: '{name}: 질문',
  plan: '{name}: 계획 승인 요청',
  failed: '{name}: 실패',
  finished: '{name}: 완료',
  waiting: '에이전트 {count}개가 응답을 기다립니다',
  several: '에이전트 {count}개: 대기 {waiting}, 실패 {failed}, 완료 {finished}',
  reminder: '다시 알림: {title}',
  more: '외 {count}개',
  in_terminal: '해당 터미널에서만 응답할 수 있습니다.',
  allow: '허용',
  deny: '거부',
  open: '열기',
  allowed_by: '{who} 님이 허용했습니다.',
  denied_by: '{who} 님이 거부했습니다.',
  answered_by: '{who} 님이 응답했습니다.',
  timed_out: '시간 내에 응답이 없어 거부되었습니다.',
  settled: '더 이상 필요하지 않습니다.',
  not_answered: '응답하지 못했습니다. 눌러서 요청을 여세요.',
  test_title: 'Signalbox 테스트',
  test_body: '이 채널은 정상입니다.',
  reply_allowed: '허용했습니다.',
  reply_denied: '거부했습니다.',
  reply_sent: '{name}에 보냈습니다.',
  reply_refused: '처리하지 않음: {reason}',
  reply_no_right: '이 채널에서는 할 수 없습니다.',
  reply_unknown: '이 메시지에 해당하는 세션이 없습니다.',
}
