"""Look-alike characters and what they look like, written by tools/make_lookalikes.py. Do not edit.

From Unicode's confusables.txt (UTS 39), Copyright © Unicode, Inc., under the Unicode License V3
(https://www.unicode.org/license.txt), by way of confusable-homoglyphs 3.3.1 (MIT).
"""

PAIRS = """
Æae æae Ĳlj Œoe œoe ſf Ƅb ƍg Ɩl Ʀr Ƨ2 Ʒ3 Ƽ5 ƽs ǀl ǁll Ǉlj ǈlj Ǌnj ǋnj Ǳdz ǲdz Ȝ3 Ȣ8 ȣ8
ɑa ɡg ɣy ɩi ɪi ɯw ʋu ʏy ʣdz ʦts ʪls ʫlz ˁʕ ͻɔ Ϳj Αa Βb Εe Ζz Ηh Ιl Κk Μm Νn Οo
Ρp Τt Υy Χx αa βss γy ιi κĸ νv οo ρp σo υu φɸ ϐss Ϝf Ϩ2 ϩƨ ϱp ϳj ϸþ Ϲc Ϻm Ѕs
Іl Јj Аa Вb Еe З3 Кk Мm Нh Оo Рp Сc Тt Уy Хx Ыbl Ьb Юlo аa б6 вʙ гr еe зɜ кĸ
мʍ нʜ оo пπ рp сc уy фɸ хx ъˉb ыƅi ьƅ ѕs іi јj ѡw ѱψ Ѵv ѵv Үy үy һh ҽe ҿę Ӏl
ӏi Ӕae ӕae әǝ Ӡ3 ӡȝ ԁd Ԍg ԍɢ ԛq Ԝw ԝw Սu Տs Օo աw գq զq հh յȷ ոn պɰ ռn սu ցg
քf օo ઽऽ ଠo ಅఅ ಆఆ ಇఇ ಒఒ ಜజ ಞఞ ಣణ ಯయ ಱఱ ಲల ഉஉ ജஐ ഠo ണண ഴழ ശஶ ൎॱ ൟoരo ຈจ ຍย ບบ
ປป ຝฝ ພพ ຟฟ ဝo ყy ჳȝ ჿo ሀu ሆմ ሣɰ ቀɸ በn ቡn ኔձ ኮի ዐo ጣɰ Ꭰd Ꭱr Ꭲt Ꭵi Ꭹy Ꭺa Ꭻj
Ꭼe Ꮁy Ꮃw Ꮇm Ꮋh Ꮍy Ꮏƫ Ꮐg Ꮒh Ꮓz Ꮗw Ꮛɛ Ꮞ4 Ꮟb Ꮢr Ꮤw Ꮥs Ꮩv Ꮪs Ꮮl Ꮯc Ꮲp Ꮶk Ꮷd Ꮾ6
Ᏸss Ᏻg Ᏼb ᐃδ ᐬδᐠ ᐯv ᐱʌ ᑌu ᑎn ᑭp ᑯd ᑲb ᒍj ᒥy ᒪl ᒿ2 ᕁx ᕼh ᕽx ᖇr ᖯb ᖴf ᗄɐ ᗅa ᗞd
ᗪd ᗯw ᗰm ᗷb ᘮʊ ᘯω ᘴʊ ᘵω ᙆz ᚷx ᛁl ᛕk ᛖm ᛘψ ᛰɸ ᣔʌ ᣖp ᣳl ᣴr ᴀa ᴄc ᴅd ᴇe ᴊj ᴏo
ᴑo ᴙя ᴜu ᴠv ᴡw ᴢz ᴦr ᴧʌ ᴩᴘ ᵫue ᶃg ᶌy ẝf ỿy ιi Kk Ⅰl Ⅱll Ⅲlll Ⅳlv Ⅴv Ⅵvl Ⅶvll Ⅷvlll Ⅸlx
Ⅹx Ⅺxl Ⅻxll Ⅼl Ⅽc Ⅾd Ⅿm ➀1 ➁2 ➂3 ➃4 ➄5 ➅6 ➆7 ➇8 ➈9 ➉10 ⱶᎰ ⲅr Ⲏh Ⲓl Ⲕk ⲕĸ Ⲙm Ⲛn
Ⲟo ⲟo Ⲣp ⲣp Ⲥc ⲥc Ⲧt Ⲩy ⲫɸ Ⲭx ⲭχ ⲱω ⲽш Ⳋ9 Ⳍ3 ⳍȝ Ⳑl ⳑʟ Ⳓ6 ⳤϗ ⴷʌ ⴸv ⴹe ⴺǝ ⵉʃ
ⵏl ⵔo ⵕq ⵙʘ ⵝx ⵠδ ⵣᛯ 〇o ヘへ 一ー ꓐb ꓑp ꓒd ꓓd ꓔt ꓖg ꓗk ꓙj ꓚc ꓛɔ ꓜz ꓝf ꓞⅎ ꓟm ꓠn
ꓡl ꓢs ꓣr ꓥʌ ꓦv ꓧh ꓪw ꓫx ꓬy ꓭᙠ ꓮa ꓯɐ ꓰe ꓱǝ ꓲl ꓳo ꓴu ꓵn ꓷᗡ Ꙅ2 ꙅƨ ꙇi ꙍω ꙑˉbi Ꚙoo
ꚙoo ꚡи ꚰᚹ ꚱᎰ ꛍʡ ꛎʌ ꛛπ ꛟv ꛯ2 Ꜩt3 ꜱs Ꜳaa ꜳaa Ꜵao ꜵao Ꜷau ꜷau Ꜹav ꜹav Ꜻav ꜻav Ꜽay ꜽay ꜿͽ Ꝏoo
ꝏoo Ꝛ2 Ꝫ3 Ꝯ9 ꝷtf Ꞙf ꞙf ꞟu Ɜ3 Ʝj Ꭓx Ꞵb ꞵss ꞷω ꟷー ꦒⰿ ꧏ٢ ꬲe ꬵf ꬽo ꭇr ꭈr ꭎu ꭒu ꭓχ
ꭕχ ꭚy ꭠљ ꭣuo ꭵi ꮁr ꮃw ꮓz ꮩv ꮪs ꮯc ힹーᅡ ힺーᅥ ힻーᅥ丨 ힼーᅩ ힽ丨ᅣᅩ ힾ丨ᅣ丨 ힿ丨ᅧ ퟀ丨ᅧ丨 ퟁ丨ᅩ丨 ퟂ丨ᅭ ퟃ丨ᅲ ퟄ丨丨 ﬀff ﬁfi
ﬂfl ﬃffi ﬄffl ﬆst Ａa Ｂb Ｃc Ｅe Ｈh Ｉl Ｊj Ｋk Ｍm Ｎn Ｏo Ｐp Ｓs Ｔt Ｘx Ｙy Ｚz 𐊂b 𐊅δ 𐊆e 𐊇f
𐊊l 𐊍ʌ 𐊐x 𐊒o 𐊔ᛜ 𐊕p 𐊖s 𐊗t 𐊠a 𐊡b 𐊢c 𐊣δ 𐊥f 𐊫o 𐊭ϙ 𐊰m 𐊱t 𐊲y 𐊳ɸ 𐊴x 𐊵ψ 𐊶ω 𐊸ⵀ 𐋏h 𐋡د
𐋤و 𐋨ط 𐋲ص 𐋵z 𐌁b 𐌂c 𐌉l 𐌑m 𐌒ϙ 𐌕t 𐌗x 𐌚8 𐌠l 𐌢x 𐏑𐎂 𐏓𐎓 𐐄o 𐐕c 𐐛l 𐐠s 𐐩ꞓ 𐐪ʚ 𐐬o 𐐺ꞛ 𐐽c
𐐿ɷ 𐑂ɞ 𐑃ʟ 𐑈s 𐑋ɔ 𐑍ᴎ 𐒴r 𐓂o 𐓎u 𐓒7 𐓘ʌ 𐓛λ 𐓪o 𐓫ꙩ 𐓶u 𐓹ψ 𐔓n 𐔖o 𐔘k 𐔜c 𐔝v 𐔥f 𐔦l 𐔧x 𑇜ꣻ
𑒒ঘ 𑒔চ 𑒖জ 𑒘ঞ 𑒙ট 𑒛ড 𑒝ল 𑒞ত 𑒟থ 𑒠দ 𑒡ধ 𑒢ন 𑒣প 𑒧ম 𑒨য 𑒩ব 𑒪ণ 𑒫র 𑒭ষ 𑒮স 𑓄ঽ 𑓅ẇ 𑜀rn 𑜆v 𑜊w
𑜎w 𑜏w 𑢠v 𑢢f 𑢣l 𑢤y 𑢦e 𑢩z 𑢬9 𑢮e 𑢯4 𑢲l 𑢵o 𑢸u 𑢻5 𑢼t 𑣀v 𑣁s 𑣂f 𑣃i 𑣄z 𑣆7 𑣈o 𑣊3 𑣌9
𑣎ꞓ 𑣕6 𑣖9 𑣗o 𑣘u 𑣜y 𑣬x 𑣯w 𑣲c 𒀸𐎚 𓋹𐦞 𖼇y 𖼈v 𖼊t 𖼖l 𖼚δ 𖼜ꙙ 𖼦ꓶ 𖼨l 𖼭ɛ 𖼵r 𖼺s 𖼻3 𖼽ʌ 𖽀a
𖽂u 𖽃y
"""
