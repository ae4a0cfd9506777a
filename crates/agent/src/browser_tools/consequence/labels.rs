//! Labels of buttons as sites have them: 200 that pay, send, delete, bind or change an account, and 200 that do
//! nothing of the kind. What is missed would be done without a question; a question too many is a nuisance.

use super::*;

const CONSEQUENTIAL_ENGLISH: &str = "Pay|Pay now|Pay $24.00|Buy|Buy now|Buy it now|Buy tickets|Purchase|Complete purchase|Confirm purchase|Place order|\
Place your order|Order now|Checkout|Check out|Proceed to checkout|Subscribe|Subscribe now|Donate|Donate now|Place bid|Bid now|Book|Book now|\
Book this room|Reserve|Reserve a table|Top up|Transfer|Transfer money|Withdraw|Confirm order|Complete order|Confirm and pay|Review and pay|\
Delete|Delete file|Delete account|Delete permanently|Remove|Remove item|Clear all|Discard|Discard draft|Discard changes|Reset|Reset all|\
Empty trash|Move to trash|Revoke|Revoke access|Deactivate|Merge|Merge pull request|Erase|Erase data|Destroy|Overwrite|Unpublish|Archive|Purge|\
Send|Send message|Send email|Send invitation|Post|Publish|Publish now|Reply|Reply all|Share|Share file|Comment|Add comment|Invite|Invite people|\
Tweet|Repost|Forward|Submit|Submit application|Apply|Apply now|Release|Create account|Sign up|Sign up free|Register|Change password|\
Reset password|Cancel subscription|Cancel plan|Close account|Log out|Sign out|Sign|Sign document|Accept|Accept all|I agree|Agree and continue|\
Authorize|Allow|Grant access|Install";

const CONSEQUENTIAL_CHINESE: &str = "支付|立即支付|确认支付|付款|去付款|购买|立即购买|马上购买|买单|提交订单|下单|立即下单|去结算|结算|订阅|立即订阅|充值|立即充值|转账|确认转账|\
提现|预订|立即预订|预定房间|捐款|立即捐赠|出价|确认订单|购买门票|加入会员并付款|删除|删除文件|彻底删除|确认删除|移除|移除成员|清空|清空回收站|清空购物车|丢弃|丢弃草稿|重置|重置设置|停用|\
停用账号|撤销|撤销授权|抹除数据|覆盖|覆盖原文件|作废|解散群聊|发送|发送消息|发送邮件|发布|立即发布|发表|发表评论|回复|回复全部|分享|分享给好友|评论|邀请|邀请好友|提交|提交申请|转发|转发微博|发帖|\
寄出|申请|立即申请|群发|投稿|注册|立即注册|注册账号|修改密码|更改密码|退出登录|注销|注销账号|解约|取消订阅|取消会员|销户|签署|签署合同|签字|签名|同意|我同意|同意并继续|接受|接受邀请|授权|授权登录|\
允许|允许访问|安装|确认|批准";

const HARMLESS_ENGLISH: &str = "Search|Find|Next|Next page|Previous|Back|Forward page|Show more|Show all|Show details|Load more|See more|Read more|View|View cart|\
View details|View profile|Open|Open menu|Menu|Close|Close menu|Dismiss|Not now|Skip|Continue reading|Learn more|Details|More|More info|Help|About|Contact|\
Home|News|Weather|Map|Maps|Directions|Filter|Filters|Apply filters|Reset filters|Clear filters|Sort|Sort by price|Order by date|Price: low to high|Grid view|\
List view|Zoom in|Zoom out|Full screen|Play|Pause|Mute|Volume|Settings|Preferences|Language|English|Dark mode|Font size|Print|Refresh|Reload|Expand|\
Collapse|Expand all|Select date|Choose a date|Departure|Return|Adults|One way|Round trip|Add to favourites|Bookmark|Sign in|Log in|Compare|Compare prices|\
Share price|Post office|Post code|Comments|Replies|Orders|Order history|All posts|Next post|Previous post|Book reviews|Buying guide|Payment methods|\
Shipping information|Delivery options|Return policy|Privacy policy|Terms of service|FAQ|Careers|Gallery|Photos|Videos";

const HARMLESS_CHINESE: &str = "搜索|查找|下一页|上一页|返回|更多|查看更多|加载更多|展开|收起|展开全部|查看|查看详情|查看购物车|详情|打开|打开菜单|菜单|关闭|跳过|以后再说|继续阅读|了解更多|帮助|关于我们|联系我们|首页|\
新闻|天气|地图|路线|筛选|排序|按价格排序|按日期排序|价格从低到高|列表视图|网格视图|放大|缩小|全屏|播放|暂停|静音|音量|设置|偏好设置|语言|中文|深色模式|字号|打印|刷新|重新加载|选择日期|出发日期|返程日期|成人|儿童|单程|往返|\
收藏|登录|比较|比较价格|配送方式|退货政策|隐私政策|服务条款|常见问题|招聘|图库|照片|视频|音乐|下载列表|目录|标签|分类|全部分类|热门|最新|推荐|排行榜|作者|读者|书评|简介|规格|参数|尺码表|颜色|数量|门店|附近门店|营业时间|\
电话|公交|停车|航班动态|时刻表|座位图|换一批";

fn all(labels: &str) -> Vec<&str> {
    labels.split('|').collect()
}

fn asks(label: &str) -> bool {
    let described = Described { role: "button".to_owned(), name: label.to_owned(), ..Described::default() };
    let action = Action {
        target: "e1".to_owned(),
        request: serde_json::json!({"act": "click"}),
        values: Vec::new(),
        submits: false,
        scroll: crate::browser_tools::Scroll::No,
    };
    consequence_of(&action, &described).is_some()
}

#[test]
fn of_400_labels_none_with_consequences_is_missed_and_few_others_ask() {
    let consequential = [all(CONSEQUENTIAL_ENGLISH), all(CONSEQUENTIAL_CHINESE)].concat();
    let harmless = [all(HARMLESS_ENGLISH), all(HARMLESS_CHINESE)].concat();
    assert!(
        consequential.len() >= 200 && harmless.len() >= 200,
        "{} {}",
        consequential.len(),
        harmless.len()
    );
    let missed: Vec<_> = consequential.iter().filter(|label| !asks(label)).collect();
    assert_eq!(missed, Vec::<&&str>::new());
    let asked: Vec<_> = harmless.iter().filter(|label| asks(label)).collect();
    assert!(asked.len() * 20 <= harmless.len(), "more than one in twenty: {asked:?}");
}
